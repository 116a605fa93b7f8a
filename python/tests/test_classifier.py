# SPDX-License-Identifier: GPL-3.0-or-later
"""Classification of whole images: the models and predictions of the programs, and conventions of scikit-learn."""

import copy
import io
import json
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from test_core import write_pnm

import tosst

THREADS = 2
CLASSES = {"a b": (0.3, 0.7), "c": (1.2, 0.5), "d/é": (0.7, 0.9)}

# Small efforts: an effort of the preset, and methods without and with parts.
LBP = tosst.Recipe({"descriptor.kind": "lbp"})
SMALL = {"dictionary.atoms": 20, "dictionary.iterations": 3, "descriptor.most": 60}
CASES = {
    "quick": {"preset": "quick", "recipe": SMALL, "seed": 7},
    "beside": {"preset": "quick", "recipe": {**SMALL, "classifier.beside": "image-covariance;lbp"}},
    "kernel": {"recipe": LBP},
    "covariance": {"recipe": tosst.Recipe({"descriptor.kind": "image-covariance"})},
    "patches": {"recipe": tosst.Recipe({"descriptor.kind": "linear", "coding.method": "raw", "classifier.choose-c": True})},
}


def wave(name, seed, side=56, colour=False):
    rng = np.random.default_rng([seed, *name.encode()])
    angle, frequency = CLASSES[name]
    y, x = np.mgrid[:side, :side]
    image = 0.5 + 0.3 * np.sin(frequency * (np.cos(angle) * x + np.sin(angle) * y) + rng.uniform(0, 6)) * np.sin(0.3 * (x - y) + rng.uniform(0, 6))
    if colour:
        image = image[:, :, None] * [1, 0.8, 0.5]
    return ((image + 0.06 * rng.normal(size=image.shape)).clip(0, 1) * 255).astype(np.uint8)


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """A folder with train and test, training paths and labels, and those of tests."""
    folder = tmp_path_factory.mktemp("images")
    lists = {}
    for side, number in (("train", 4), ("test", 2)):
        paths, labels = [], []
        for name in CLASSES:
            place = folder / side / name.replace("/", "-")
            place.mkdir(parents=True)
            for i in range(number):
                paths.append(str(write_pnm(place / f"{i}.ppm", wave(name, i + 10 * (side == "test"), colour=i == 1))))
                labels.append(name.replace("/", "-"))
        lists[side] = paths, labels
    return folder, *lists["train"], *lists["test"]


@pytest.fixture(scope="module")
def fitted(images):
    return tosst.TextureClassifier(recipe=LBP, n_jobs=THREADS).fit(images[1], images[2])


def members(data):
    """The arrays of a model's file, and those of its parts."""
    found = {}
    with zipfile.ZipFile(data) as archive:
        for name in archive.namelist():
            if name.endswith(".npy"):
                found[name] = archive.read(name)
            elif name.endswith(".npz"):
                found.update({f"{name}/{member}": value for member, value in members(io.BytesIO(archive.read(name))).items()})
    return found


def train_by_program(program, folder, model, case, *more):
    recipe = case.get("recipe", {})
    settings = [f"{key}={recipe[key]}" for key in (recipe._changes if isinstance(recipe, tosst.Recipe) else recipe)]
    if isinstance(recipe, tosst.Recipe):
        settings = [f"dataset.path={folder}", "dataset.kind=folders", *settings]
        what = []
    else:
        what = [folder, "--preset", case["preset"]]
    program("classify", *what, "--model", model, "--threads", THREADS, "--quiet", "--set", "dataset.protocol=fixed", *more,
            *(word for setting in settings for word in ("--set", setting.replace("True", "true"))))


def predict_by_program(program, model, paths):
    found = json.loads(program("predict", "--model", model, "--json", "--threads", THREADS, *paths))["predictions"]
    return ([entry["class"] for entry in found], np.array([list(entry["margins"].values()) for entry in found]),
            np.array([list(entry["probabilities"].values()) for entry in found]))


@pytest.mark.parametrize("name", CASES)
def test_models_and_predictions_are_those_of_the_programs(program, images, tmp_path, name):
    folder, X, y, tests, _ = images
    case = CASES[name]
    train_by_program(program, folder, tmp_path / "M.npz", case, *(["--seed", case["seed"]] if "seed" in case else []))
    classifier = tosst.TextureClassifier(n_jobs=THREADS, **case)
    classifier.fit(X, y)
    classifier.save(tmp_path / "N.npz")
    theirs, ours = members(tmp_path / "M.npz"), members(tmp_path / "N.npz")
    assert set(theirs) == set(ours) and [member for member in theirs if theirs[member] != ours[member]] == []
    labels, margins, probabilities = predict_by_program(program, tmp_path / "M.npz", tests)
    assert classifier.predict(tests).tolist() == labels
    assert np.array_equal(classifier.decision_function(tests), margins)
    assert np.array_equal(classifier.predict_proba(tests), probabilities)


@pytest.mark.parametrize("case", [{"preset": "balanced", "recipe": {**SMALL, "descriptor.most": 30, "coding.gaussian-sample": 200}},
                                  {"recipe": tosst.Recipe({"descriptor.kind": "sift", "coding.method": "fisher", "coding.gaussians": 4,
                                                           "coding.gaussian-sample": 200, "descriptor.pca": 8})}])
def test_features_are_drawn_by_the_numbers_of_images(program, images, tmp_path, case):
    """With the places of the training images among all, of a class first those of tests, a model is that of the program."""
    folder, X, y, tests, _ = images
    train_by_program(program, folder, tmp_path / "M.npz", case)
    theirs = members(tmp_path / "M.npz")
    numbers = np.concatenate([6 * k + 2 + np.arange(4) for k in range(3)])
    classifier = tosst.TextureClassifier(n_jobs=THREADS, **case)
    order = np.random.default_rng(1).permutation(len(X))
    differs = []
    for given in (numbers[order], None):
        classifier.fit([X[i] for i in order] if given is not None else X, np.asarray(y)[order] if given is not None else y, numbers=given)
        classifier.save(tmp_path / "N.npz")
        ours = members(tmp_path / "N.npz")
        assert set(theirs) == set(ours)
        differs.append([member for member in theirs if theirs[member] != ours[member]])
    assert differs[0] == [] and differs[1] != []
    for wrong in (numbers[1:], numbers - 3, numbers * 0, numbers + 0.5):
        with pytest.raises(ValueError, match="numbers must be"):
            classifier.fit(X, y, numbers=wrong)


@pytest.mark.parametrize("protocol", ["fixed", "random"])
def test_copies_are_those_of_the_program(program, images, tmp_path, protocol):
    """Their angles and scales, and what is drawn from them, by numbers after those of all images."""
    folder, X, y, tests, _ = images
    parameters = {"descriptor.kind": "sift", "coding.method": "fisher", "coding.gaussians": 2, "coding.gaussian-sample": 200,
                  "descriptor.pca": 4, "dataset.copies": 2, "dataset.protocol": protocol}
    if protocol == "random":
        parameters["dataset.train-per-class"] = 3
    settings = [word for key, value in parameters.items() for word in ("--set", f"{key}={value}")]
    program("classify", "--set", f"dataset.path={folder if protocol == 'fixed' else folder / 'train'}", "--set", "dataset.kind=folders", *settings,
            "--set", "dataset.splits=1", "--model", tmp_path / "M.npz", "--scores", tmp_path / "P.csv", "--threads", THREADS, "--quiet")
    classifier = tosst.TextureClassifier(recipe=tosst.Recipe(parameters), n_jobs=THREADS)
    if protocol == "fixed":
        numbers, chosen, total = np.concatenate([6 * k + 2 + np.arange(4) for k in range(3)]), range(12), 18
    else:
        tested = {line.split(",")[0].strip('"') for line in (tmp_path / "P.csv").read_text(encoding="utf-8").splitlines()[1:]}
        chosen = [i for i, path in enumerate(X) if not any(path.endswith(name) for name in tested)]
        assert len(chosen) == 9
        numbers, total = np.array(chosen), 12
    with pytest.raises(ValueError, match="numbers and dataset.copies need total"):
        classifier.fit(X, y, numbers=range(12))
    classifier.fit([X[i] for i in chosen], [y[i] for i in chosen], numbers=numbers, total=total).save(tmp_path / "N.npz")
    theirs, ours = members(tmp_path / "M.npz"), members(tmp_path / "N.npz")
    assert set(theirs) == set(ours) and [member for member in theirs if theirs[member] != ours[member]] == []


@pytest.mark.parametrize("parameters", [{"descriptor.kind": "lbp"}, {"descriptor.kind": "rbf", "descriptor.pivots": 2, "dictionary.atoms": 6,
                                                                     "dictionary.iterations": 2, "descriptor.step": 20}])
def test_several_labels_an_image(program, images, tmp_path, parameters):
    """The model of a data set with lists, from rows of labels; NaN is its 0."""
    folder, X, y, tests, truth = images
    names, paths = ["a", "é, b", "both"], X + tests
    labels = np.array([[1, -1, -1] if name == "a b" else [-1, 1, 1] if name == "c" else [1, 1, -1] for name in [*y, *truth]])
    labels[1, 2] = labels[7, 0] = 0
    order = sorted(range(len(X)), key=lambda i: X[i])
    lines = ['image,split,a,"é, b",both'] + [f'"{path[len(str(folder)) + 1:]}",{"train" if i < 12 else "test"},' + ",".join(map(str, row))
                                            for i, (path, row) in enumerate(zip(paths, labels))]
    (tmp_path / "labels.csv").write_text("\n".join(lines), encoding="utf-8")
    for side in ("train", "test"):
        (tmp_path / side).symlink_to(folder / side)
    program("classify", "--set", "dataset.kind=labels", "--set", f"dataset.path={tmp_path}", "--model", tmp_path / "M.npz", "--quiet", "--threads",
            THREADS, *(word for key, value in parameters.items() for word in ("--set", f"{key}={value}")))
    rows = np.where(labels == 0, np.nan, (labels + 1) / 2)
    classifier = tosst.TextureClassifier(recipe=tosst.Recipe(parameters), n_jobs=THREADS)
    classifier.fit([X[i] for i in order], rows[order]).save(tmp_path / "N.npz")
    theirs, ours = members(tmp_path / "M.npz"), members(tmp_path / "N.npz")
    assert set(theirs) == set(ours) and [member for member in theirs if theirs[member] != ours[member]] == []
    found = json.loads(program("predict", "--model", tmp_path / "M.npz", "--json", "--threads", THREADS, *tests))["predictions"]
    assert np.array_equal(classifier.decision_function(tests), [list(entry["margins"].values()) for entry in found])
    assert classifier.classes_.tolist() == [0, 1, 2] and classifier.predict(tests).shape == (6, 3)
    assert tosst.load(tmp_path / "M.npz").classes_.tolist() == names
    right = (classifier.predict(tests) == (rows[12:] == 1)).all(axis=1)
    assert classifier.score(tests, rows[12:] == 1) == right.mean()
    with pytest.raises(ValueError, match="explain.. is for models of one class an image"):
        classifier.explain(tests)


def test_labels_in_rows_of_any_kind(images):
    pandas, sparse = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    _, X, y, tests, truth = images
    rows = np.array([[name == "c", name != "c"] for name in y])
    frame = pandas.DataFrame(rows, columns=["c", "not c"])
    margins = []
    for given, classes in ((rows, [0, 1]), (rows.astype(int), [0, 1]), (rows.tolist(), [0, 1]), (sparse.csr_matrix(rows), [0, 1]),
                           (frame, ["c", "not c"])):
        classifier = tosst.TextureClassifier(recipe=LBP, n_jobs=THREADS).fit(X, given)
        assert classifier.classes_.tolist() == classes
        margins.append(classifier.decision_function(tests))
        assert margins[-1].shape == (6, 2) and np.array_equal(margins[-1], margins[0])
    assert classifier.score(tests, sparse.csr_matrix([[name == "c", name != "c"] for name in truth])) == 1
    from sklearn.model_selection import cross_val_score

    assert cross_val_score(classifier, X, rows, cv=2, scoring="average_precision", error_score="raise").min() == 1


def test_features_from_files_and_arrays(program, tmp_path):
    """As the program has them from folders of their files; arrays are as files."""
    rng = np.random.default_rng(1)
    paths, arrays, y, numbers = [], [], [], []
    for k, name in enumerate(("one", "two")):
        for side, number in (("test", 2), ("train", 5)):
            (tmp_path / "F" / side / name).mkdir(parents=True)
            for i in range(number):
                x, xy = rng.normal(k, 1, (30, 5)).astype(np.float32), rng.random((30, 2))
                path = tmp_path / "F" / side / name / f"{i}.{'npy' if i == 1 else 'npz'}"
                if i == 1:
                    x = x.reshape(5, 6, 5)
                    np.save(path, x)
                else:
                    np.savez(path, x=x, xy=xy)
                paths.append(path)
                arrays.append(x if i == 1 else (x, xy))
                y.append(name)
                numbers.append(side == "train")
    trains = np.array(numbers)
    parameters = {"descriptor.kind": "features", "coding.method": "fisher", "coding.gaussians": 2, "coding.gaussian-sample": 40, "descriptor.pca": 3}
    program("classify", "--set", "dataset.kind=folders", "--set", f"dataset.path={tmp_path / 'F'}", "--set", "dataset.protocol=fixed", "--model",
            tmp_path / "M.npz", "--quiet", "--threads", THREADS, *(word for key, value in parameters.items() for word in ("--set", f"{key}={value}")))
    theirs = members(tmp_path / "M.npz")
    tests = [path for path, train in zip(paths, trains) if not train]
    labels, margins, probabilities = predict_by_program(program, tmp_path / "M.npz", tests)
    for X in (paths, arrays):
        of = [x for x, train in zip(X, trains) if train]
        classifier = tosst.TextureClassifier(recipe=tosst.Recipe(parameters), n_jobs=THREADS)
        classifier.fit(of, np.array(y)[trains], numbers=np.flatnonzero(trains)).save(tmp_path / "N.npz")
        ours = members(tmp_path / "N.npz")
        assert set(theirs) == set(ours) and [member for member in theirs if theirs[member] != ours[member]] == []
        others = [x for x, train in zip(X, trains) if not train]
        assert classifier.predict(others).tolist() == labels and np.array_equal(classifier.decision_function(others), margins[:, 1] - margins[:, 0])
        assert np.array_equal(classifier.predict_proba(others), probabilities)
    x, xy = rng.normal(size=(4, 5)), rng.random((4, 2))
    np.savez(tmp_path / "1.npz", x=x, xy=xy)
    np.save(tmp_path / "1.npy", x.reshape(2, 2, 5))
    for wrong, message in ((x, "image 0: features are an array (height, width, D), or a tuple"), ((x, xy[1:]), "image 0: features are floating-point"),
                           ((x * np.nan, xy), "image 0: features must be finite"), ((x, xy + 1), "positions from 0 to 1"),
                           ((x[:, 1:], xy), "features of 4 numbers instead of 5"), (tmp_path / "2.npz", "2.npz")):
        with pytest.raises(ValueError) as error:
            classifier.predict([wrong])
        assert message in str(error.value)
    with pytest.raises(ValueError, match="1.npy: the programs read .*1.npz, which is there, too"):
        classifier.fit([tmp_path / "1.npy", *paths], [y[0], *y])
    for call in (classifier.explain, classifier.class_map, classifier.transform):
        with pytest.raises(ValueError, match="features from"):
            call([(x, xy)])


@pytest.mark.parametrize("name", ["patches", "kernel", "beside"])
def test_signatures_are_what_the_classifier_compares(program, images, tmp_path, name):
    folder, X, y, tests, _ = images
    classifier = tosst.TextureClassifier(n_jobs=THREADS, **CASES[name])
    rows = classifier.fit_transform(X, y)
    assert rows.dtype == np.float32 and rows.shape == (12, len(classifier.get_feature_names_out())) and np.ptp(rows, axis=0).max() > 0
    assert np.array_equal(classifier.transform([read_pnm(path) for path in X]), rows)
    assert classifier.get_feature_names_out()[0] == list(classifier.weights_)[0] + "0"
    classifier.save(tmp_path / "M.npz")
    if name == "patches":
        with np.load(tmp_path / "M.npz") as model:
            np.testing.assert_allclose(classifier.decision_function(X), rows @ model["w"][:, :-1].T + model["w"][:, -1], rtol=1e-5, atol=1e-6)
    pandas, sklearn = pytest.importorskip("pandas"), pytest.importorskip("sklearn")
    frame = classifier.set_output(transform="pandas").transform(tests)
    assert isinstance(frame, pandas.DataFrame) and frame.columns.tolist() == classifier.get_feature_names_out().tolist()
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    if name == "kernel":
        assert make_pipeline(tosst.TextureClassifier(**CASES[name]), LinearSVC(C=100, max_iter=100000)).fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("name, window, step", [("kernel", 24, 16), ("patches", 30, 10), ("kernel", 0, 0)])
def test_class_maps_are_those_of_the_program(program, images, tmp_path, name, window, step):
    _, X, y, tests, _ = images
    classifier = tosst.TextureClassifier(n_jobs=THREADS, **CASES[name]).fit(X, y)
    classifier.save(tmp_path / "M.npz")
    program("predict", "--model", tmp_path / "M.npz", "--threads", THREADS, "--map-npy", tmp_path / "map.npy", *(["--window", window] if window else []),
            *(["--map-step", step] if step else []), tests[2])
    theirs = np.load(tmp_path / "map.npy")
    ours, again = classifier.class_map([tests[2], read_pnm(tests[2])], window, step)
    assert np.array_equal(ours.margins, theirs[:, :, 1:]) and np.array_equal(ours.labels, classifier.classes_[theirs[:, :, 0].astype(int)])
    assert ours.margins.dtype == np.float32 and np.array_equal(again.margins, ours.margins)
    assert (window in (0, ours.window)) and (step in (0, ours.step)) and ours.labels.shape[0] == (56 - ours.window) // ours.step + 1


def test_balanced_with_local_features(program, images, tmp_path):
    """Their draws depend on the number of an image among all of the data set: predictions alone are the same to the bit."""
    folder, X, y, tests, truth = images
    classifier = tosst.TextureClassifier("balanced", recipe={**SMALL, "descriptor.most": 30}, n_jobs=THREADS).fit(X, y)
    assert list(classifier.weights_) == ["dictionary", "fisher", "image-covariance"]
    assert np.isclose(sum(classifier.weights_.values()), 1)
    tosst.save(tmp_path / "N.npz", classifier)
    labels, margins, probabilities = predict_by_program(program, tmp_path / "N.npz", tests)
    assert classifier.predict(tests).tolist() == labels == truth
    assert np.array_equal(classifier.decision_function(tests), margins)
    assert np.array_equal(classifier.predict_proba(tests), probabilities)
    for path, row, explanation in zip(tests, margins, classifier.explain(tests)):
        assert list(explanation.margins.values()) == row.tolist() and set(explanation.terms) == set(classifier.weights_)
        sums = sum(np.array(list(terms.values())) for terms in explanation.terms.values())
        assert np.allclose(sums, row, rtol=1e-12)
    loaded = tosst.load(tmp_path / "N.npz")
    assert np.array_equal(loaded.decision_function(tests), margins) and np.isnan(list(loaded.weights_.values())).all()
    assert np.array_equal(loaded.dictionary_.B, classifier.dictionary_.B) and len(loaded.dictionary_) == 20


def test_arrays_are_as_their_files(images):
    folder, X, y, tests, _ = images
    arrays = [read_pnm(path) for path in X]
    parameters = {"recipe": tosst.Recipe({"descriptor.kind": "image-covariance"}), "n_jobs": THREADS}
    margins = tosst.TextureClassifier(**parameters).fit(X, y).decision_function(tests)
    mixed = tosst.TextureClassifier(**parameters).fit(arrays[:5] + X[5:], y)
    assert np.array_equal(mixed.decision_function(tests), margins)
    assert np.array_equal(mixed.decision_function([read_pnm(path) for path in tests]), margins)
    # 255 divides 65535: 16 bits and rounded floating-point numbers are the same images.
    for convert in (lambda image: image.astype(np.uint16) * 257, lambda image: image / 255):
        wide = mixed.decision_function([convert(read_pnm(path)) for path in tests])
        np.testing.assert_allclose(wide, margins, atol=1e-4)


def read_pnm(path):
    data = open(path, "rb").read()
    kind, columns, rows, _ = data.split(None, 4)[:4]
    depth = 3 if kind == b"P6" else 1
    size = int(columns) * int(rows) * depth
    image = np.frombuffer(data[-size:], np.uint8).reshape(int(rows), int(columns), depth)
    return image if depth == 3 else image[:, :, 0]


def test_order_within_classes_counts_alone(images):
    """Classes may be mixed, as they are trained by class."""
    _, X, y, tests, _ = images
    mixed = np.arange(len(X)).reshape(3, -1).T.ravel()
    a = tosst.TextureClassifier(recipe=LBP, n_jobs=THREADS).fit(X, y)
    b = tosst.TextureClassifier(recipe=LBP, n_jobs=THREADS).fit([X[i] for i in mixed], [y[i] for i in mixed])
    assert np.array_equal(a.decision_function(tests), b.decision_function(tests))
    near = [[neighbour.index for neighbour in explanation.nearest] for explanation in a.explain(X[:5], 2)]
    assert near == [[mixed[neighbour.index] for neighbour in explanation.nearest] for explanation in b.explain(X[:5], 2)]


@pytest.mark.parametrize("name", ["kernel", "beside", "copies", "patches"])
def test_nearest_images(images, name):
    """An image is nearest to itself, and distances are those of a metric; copies of images train, but are not named."""
    _, X, y, tests, _ = images
    copies = {"recipe": tosst.Recipe({"descriptor.kind": "image-covariance", "dataset.copies": 2})}
    classifier = tosst.TextureClassifier(n_jobs=THREADS, **(copies if name == "copies" else CASES[name])).fit(X, y)
    distances = np.empty((len(X), len(X)))
    for i, explanation in enumerate(classifier.explain(X, len(X))):
        assert explanation.nearest[0].index == i and [near.label for near in explanation.nearest] == [y[near.index] for near in explanation.nearest]
        for near in explanation.nearest:
            distances[i, near.index] = near.distance
    assert np.all(np.diag(distances) < 1e-4) and np.allclose(distances, distances.T, atol=1e-4)
    assert np.all(distances[:, :, None] <= distances[:, None] + distances.T[None] + 1e-4)
    assert [len(explanation.nearest) for explanation in classifier.explain(tests[:1], 0)] == [0]


def test_files(images, fitted, program, tmp_path):
    folder, X, y, tests, _ = images
    margins = fitted.decision_function(tests)
    fitted.save(tmp_path / "M.npz")
    loaded = tosst.load(tmp_path / "M.npz")
    assert isinstance(loaded, tosst.TextureClassifier) and loaded.classes_.tolist() == fitted.classes_.tolist()
    assert np.array_equal(loaded.decision_function(tests), margins) and np.array_equal(loaded.predict_proba(tests), fitted.predict_proba(tests))
    assert loaded.recipe_["descriptor.kind"] == "lbp" and loaded.dictionary_ is None is fitted.dictionary_
    assert loaded.explain(tests[:1])[0].nearest == []
    # Fitted again it is the same model, and so it is by pickle.
    assert np.array_equal(loaded.fit(X, y).decision_function(tests), margins)
    for again in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert np.array_equal(again.decision_function(tests), margins) and again.explain(tests[:1])[0].nearest == []
    data = (tmp_path / "M.npz").read_bytes()
    (tmp_path / "M.npz").write_bytes(data[:len(data) // 2])
    with pytest.raises(ValueError, match="M.npz"):
        tosst.load(tmp_path / "M.npz")


def test_labels_of_any_type(images):
    _, X, y, tests, truth = images
    numbers = {name: 10 - i for i, name in enumerate(sorted(set(y)))}
    classifier = tosst.TextureClassifier(recipe=LBP).fit(X, [numbers[label] for label in y])
    assert classifier.classes_.tolist() == [8, 9, 10]
    assert classifier.predict(tests).tolist() == [numbers[label] for label in truth] and classifier.score(tests, [numbers[label] for label in truth]) == 1
    assert classifier.score(tests, np.zeros(6), sample_weight=np.ones(6)) == 0
    two = tosst.TextureClassifier(recipe=LBP).fit(X[:8], np.array(y[:8]) == "c")
    assert two.predict(tests[:4]).tolist() == [False, False, True, True]
    assert ((two.decision_function(tests[:4]) > 0) == two.predict(tests[:4])).all()
    assert np.allclose(two.predict_proba(tests).sum(axis=1), 1)


def test_conventions_of_sklearn(images):
    base = pytest.importorskip("sklearn.base")
    from sklearn.exceptions import NotFittedError
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline

    _, X, y, tests, truth = images
    classifier = tosst.TextureClassifier(recipe=LBP)
    assert base.is_classifier(classifier) and classifier.get_params() == {"preset": "balanced", "method": None, "recipe": LBP, "seed": None,
                                                                        "n_jobs": None, "verbose": 0}
    for call in (classifier.predict, classifier.predict_proba, classifier.decision_function, classifier.explain, classifier.save):
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            call(tests)
    again = base.clone(classifier.fit(X, y))
    assert not hasattr(again, "classes_") and again.recipe is not None
    assert cross_val_score(again, X, y, cv=2, error_score="raise").mean() == 1
    search = GridSearchCV(classifier, {"recipe": [LBP, tosst.Recipe({"descriptor.kind": "image-covariance"})]}, cv=2, error_score="raise").fit(X, y)
    assert search.predict(tests).tolist() == truth
    assert make_pipeline(classifier).fit(X, y).score(tests, truth) == 1


@pytest.mark.parametrize("n", range(4))
def test_an_interrupted_fit_leaves_the_classifier(images, n):
    from test_learning import Interrupt

    _, X, y, tests, _ = images
    classifier = tosst.TextureClassifier(recipe=LBP).fit(X, y)
    for estimator in (classifier, tosst.TextureClassifier(recipe=LBP)):
        before = dict(vars(estimator))
        with pytest.raises(KeyboardInterrupt), tosst.progress(Interrupt(n)):
            estimator.fit(X[4:], y[4:])
        assert {name: id(value) for name, value in vars(estimator).items()} == {name: id(value) for name, value in before.items()}
    told = []
    with tosst.progress(told.append):
        classifier.fit(X, y).predict(tests)
    assert told == sorted(told[:told.index(1.0) + 1]) + sorted(told[told.index(1.0) + 1:]) and max(told) == 1


@pytest.mark.parametrize("method", ["predict", "explain"])
def test_an_error_of_a_callback_ends_a_prediction(images, fitted, method):
    """Whenever it is raised: also at the last report of an image, when nothing is left to be ended."""
    for n in range(1000):
        calls = []

        def report(fraction):
            calls.append(fraction)
            if len(calls) == n + 1:
                raise ZeroDivisionError

        try:
            with tosst.progress(report):
                getattr(fitted, method)(images[3][:2])
        except ZeroDivisionError:
            assert len(calls) == n + 1
        else:
            break
    assert 0 < n < 1000 and len(calls) == n


@pytest.mark.parametrize("parameters, message", [
    ({"preset": "fast"}, "a preset is quick, balanced, best or tensors, not “fast”"),
    ({"method": "no"}, "there is no method “no”; there are tosst-keypoints, "),
    ({"method": 3}, "method must be a name of tosst compare --list, not 3"),
    ({"preset": None}, "preset must be quick, balanced, best or tensors, not None"),
    ({"recipe": "r.tosst"}, "recipe must be a Recipe or a mapping, not 'r.tosst'"),
    ({"recipe": {"dictionary.atom": 3}}, "unknown key dictionary.atom; did you mean dictionary.atoms?"),
    ({"recipe": {"dictionary.atoms": -3}}, "dictionary.atoms"),
    ({"recipe": tosst.Recipe({"descriptor.kind": "features"})}, "0.ppm: features are in files .npz or .npy"),
    ({"seed": -1}, "seed must be a whole number"),
    ({"n_jobs": 0}, "n_jobs must be"),
])
def test_wrong_parameters(images, parameters, message):
    with pytest.raises(ValueError) as error:
        tosst.TextureClassifier(**parameters).fit(images[1], images[2])
    assert message in str(error.value) and "\n" not in str(error.value)


def test_wrong_images_and_labels(images, fitted, tmp_path):
    _, X, y, tests, _ = images
    (tmp_path / "no.png").write_bytes(b"no image")
    for call, message in (
            (lambda: fitted.fit(X, y[:-1]), "y must have one label for each of the 12 images"),
            (lambda: fitted.fit(X, ["c"] * 12), "y must have at least two different labels"),
            (lambda: fitted.fit(X, np.array(["1"] + [1] * 11, object)), "y must be labels of one type"),
            (lambda: fitted.fit(X[:1] + X, ["c"] + y), "are the same image in two classes"),
            (lambda: fitted.fit([tmp_path / "no.png", *X], ["c", *y]), "no.png: "),
            (lambda: fitted.fit([tmp_path / "none.png", *X], ["c", *y]), "none.png: "),
            (lambda: fitted.predict([]), "X must be a list of paths or of images"),
            (lambda: fitted.predict(tests[0]), "X must be a list of paths or of images, not one of them"),
            (lambda: fitted.predict([tmp_path / "no.png"]), "no.png: "),
            (lambda: fitted.predict([tmp_path]), str(tmp_path)),
            (lambda: fitted.predict([np.zeros(5)]), "image 0: an image is (height, width)"),
            (lambda: fitted.predict([*tests, np.full((30, 30), np.nan)]), "image 6: floating-point images have values from 0 to 1"),
            (lambda: fitted.predict([np.zeros((30, 30), int)]), "image 0: images have unsigned 8 or 16 bits"),
            (lambda: fitted.explain(tests, -1), "n_nearest must be a whole number"),
            (lambda: fitted.class_map(tests, -1), "window must be a whole number"),
            (lambda: fitted.class_map([tmp_path / "no.png"]), "no.png: "),
            (lambda: fitted.class_map(tests[:1], 500), "window"),
            (lambda: fitted.fit(X, np.full((12, 2), 2)), "rows of y must say of each class whether an image shows it"),
            (lambda: fitted.fit(X, [["a", "b"]] * 12), "rows of y must say of each class whether an image shows it"),
            (lambda: fitted.fit(X, np.ones((12, 2))), "no class has training images that show it and others that do not"),
            (lambda: fitted.fit(X, np.ones((12, 0))), "rows of y must say"),
            (lambda: fitted.fit(X, np.ones((12, 2, 2))), "y must have one label for each of the 12 images, or one row"),
            (lambda: fitted.fit(X, y, numbers=range(12), total=11), "total must be a whole number of at least 12")):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)
    assert fitted.predict(tests[:1]).tolist() == ["a b"]


def test_few_images(images):
    """One image of a class is enough, but not for probabilities that mean something."""
    _, X, y, tests, _ = images
    classifier = tosst.TextureClassifier(recipe=tosst.Recipe({"descriptor.kind": "image-covariance"})).fit([X[0], X[4]], ["a", "c"])
    assert classifier.predict([X[0], X[4]]).tolist() == ["a", "c"]


def test_without_core(fitted, tmp_path):
    fitted.save(tmp_path / "M.npz")
    script = ("import sys; sys.modules['tosst._core'] = None; import tosst\n"
              "for call in (lambda: tosst.TextureClassifier().fit(['a', 'b'], [0, 1]), lambda: tosst.load(sys.argv[1])):\n"
              "    try:\n        call()\n    except ImportError as error:\n        print(error)\n")
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "M.npz")], stdout=subprocess.PIPE, check=True, universal_newlines=True)
    assert [line.split(" needs ")[0] for line in done.stdout.splitlines()] == ["TextureClassifier", "a model of the programs"]


def test_methods_are_those_of_the_program(program, images):
    kinds = {"lbp": "lbp", "raw": "rbf", "fisher": "sift", "image-covariance": "image-covariance"}
    for name in json.loads(program("compare", "--list", "--json")):
        recipe = tosst.TextureClassifier(method=name)._recipe()
        assert recipe["descriptor.kind"] == kinds.get(name, recipe["descriptor.kind"])
    same = [tosst.TextureClassifier(**how).fit(*images[1:3]).decision_function(images[1]) for how in (
        {"method": "lbp"}, {"recipe": tosst.TextureClassifier(method="lbp")._recipe()})]
    np.testing.assert_array_equal(*same)


@pytest.mark.parametrize("preset", ["quick", "balanced", "best", "tensors"])
def test_presets_are_those_of_the_program(program, images, preset):
    theirs = json.loads(program("recipe", images[0], "--preset", preset, "--json"))
    ours = tosst.TextureClassifier(preset)._recipe()
    own = {key: ours._text(key) for key in theirs if not key.startswith("dataset.")}
    assert [key for key in own if own[key] != theirs[key] and float(own[key]) != float(theirs[key])] == []
    changed = tosst.TextureClassifier(preset, recipe={"dictionary.atoms": 7}, seed=3)._recipe()
    assert changed.differences(ours) == {"dictionary.atoms": (7, ours["dictionary.atoms"]), "dataset.seed": (3, 1), "dictionary.seed": (3, 1)}


def test_all_images_train_whatever_the_data_set_of_a_recipe(images):
    _, X, y, tests, _ = images
    other = tosst.Recipe({**{key: LBP[key] for key in LBP._changes}, "dataset.kind": "voc2007", "dataset.path": "/nowhere", "dataset.splits": 7,
                          "dataset.protocol": "leave-one-out", "dataset.within": 2, "dataset.block": 20, "dataset.train-per-class": 3,
                          "dataset.additions": "none.csv", "dataset.exclude": "c"})
    one, two = (tosst.TextureClassifier(recipe=recipe, n_jobs=THREADS).fit(X, y) for recipe in (LBP, other))
    assert np.array_equal(one.decision_function(tests), two.decision_function(tests)) and np.array_equal(one.predict_proba(tests), two.predict_proba(tests))


def test_temporary_files_are_removed(fitted, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    image = wave("c", 1)
    fitted.predict([image])
    with pytest.raises(ValueError, match="^image 1: "):
        fitted.predict([image, np.zeros(5)])
    with pytest.raises(KeyboardInterrupt), tosst.progress(lambda fraction: (_ for _ in ()).throw(KeyboardInterrupt)):
        fitted.predict([image])
    assert list(tmp_path.iterdir()) == []
