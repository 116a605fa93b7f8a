# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of dictionaries, arrays and recipes."""

import json
import os
import zipfile

import numpy as np
import pytest

import tosst


def same(a, b):
    """Whether two texts of a recipe are the same value."""
    try:
        return float(a) == float(b)
    except ValueError:
        return a == b


@pytest.mark.parametrize("kind", ["linear", "rbf", "covariance", "sift", "features", "lbp", "image-covariance", "invariant-covariance", "combined"])
@pytest.mark.parametrize("method", ["sparse", "span", "raw", "pca", "fisher"])
def test_defaults_are_those_of_the_program(program, kind, method):
    changes = {"descriptor.kind": kind, "coding.method": method}
    theirs = json.loads(program("recipe", "--defaults", "--json", "--set", f"descriptor.kind={kind}", "--set",
                                f"coding.method={method}"))
    recipe = tosst.Recipe(changes)
    assert list(theirs) == list(recipe)
    assert [key for key in theirs if not same(theirs[key], recipe._text(key))] == []


def test_escapes_in_recipes(program, tmp_path):
    folder = "C:\\\\new \\textures\\\nof\tus"
    tosst.save(tmp_path / "a.tosst", tosst.Recipe({"dataset.kind": "folders", "dataset.path": folder}))
    (tmp_path / "b.tosst").write_text(program("recipe", tmp_path / "a.tosst"), encoding="utf-8")  # as the programs write it
    assert tosst.load(tmp_path / "a.tosst")["dataset.path"] == folder
    assert tosst.load(tmp_path / "b.tosst")["dataset.path"] == folder


def test_recipe_in_both_directions(program, tmp_path):
    tosst.save(tmp_path / "a.tosst", tosst.Recipe({"dictionary.atoms": 7, "dictionary.gamma": np.inf, "pooling.kind": "max"}))
    text = program("recipe", tmp_path / "a.tosst", "--set", "descriptor.step=12")
    (tmp_path / "b.tosst").write_text(text)
    recipe = tosst.load(tmp_path / "b.tosst")
    assert recipe["dictionary.atoms"] == 7 and recipe["dictionary.gamma"] == np.inf and recipe["descriptor.step"] == 12
    assert recipe["descriptor.radii"] == "12;16;24;32" and recipe["coding.lambda"] is None
    pooling = tosst.CodePooling.from_recipe(recipe)
    assert pooling.kind == "max" and pooling.normalize == "l2"
    assert tosst.EigenvaluePowerNormalizer.from_recipe(recipe).gamma_eigen == 1


@pytest.mark.parametrize("text, message", [
    ("[dictionary]\natom=3\n", "r, line 2: unknown key dictionary.atom; did you mean dictionary.atoms?"),
    ("# one\n\natoms=3\n", "r, line 3: expected"),
    ("[dictionary]\natoms\n", "r, line 2: expected"),
])
def test_invalid_recipes(text, message):
    with pytest.raises(ValueError) as error:
        tosst.Recipe.parse(text, "r")
    assert message in str(error.value)


def dictionaries():
    rng = np.random.default_rng(1)
    half = rng.random((4, 3, 3))
    full = half[:, :, :, None] * 0 + rng.random((4, 3, 3, 3))
    symmetric = half + half.transpose(0, 2, 1)
    whole = sum(full.transpose(0, *axes) for axes in ((1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)))
    return {
        "super-symmetric": tosst.Dictionary(symmetric, rng.random((4, 3)), 2.5, meta={"objective": 1.5}),
        "symmetric": tosst.Dictionary(symmetric, np.ones((4, 1))),
        "general": tosst.Dictionary(half, rng.random((4, 2)), symmetric=False),
        "whole": tosst.Dictionary(whole, np.ones((4, 1))),
    }


@pytest.mark.parametrize("kind", ["super-symmetric", "symmetric", "general", "whole"])
def test_dictionary(program, tmp_path, kind):
    D = dictionaries()[kind]
    assert D.shape.kind == kind and D.components().shape == (4, D.shape.numbers)
    tosst.save(tmp_path / "D.npz", D)
    E = tosst.load(tmp_path / "D.npz")
    assert np.array_equal(D.B, E.B) and np.array_equal(D.b, E.b) and D.scale == E.scale and E.shape == D.shape
    program("export", tmp_path / "D.npz", "-o", tmp_path / "D.csv")
    assert set(np.load(tmp_path / "D.npz").files) >= {"B", "b", "scale"}


def test_file_of_numpy(tmp_path):
    D = dictionaries()["super-symmetric"]
    np.savez(tmp_path / "D.npz", B=D.B.astype(np.float32), b=D.b)
    E = tosst.load(tmp_path / "D.npz")
    assert E.scale == 1 and E.meta == {} and E.recipe is None and np.allclose(E.B, D.B)
    np.savez(tmp_path / "x.npz", x=D.b, xy=D.b)
    assert set(tosst.load(tmp_path / "x.npz")) == {"x", "xy"}


def test_invalid_dictionaries(tmp_path):
    B, b = np.ones((2, 3, 3)), np.ones((2, 3))
    for wrong in ((B[:, :2], b), (B, b[:1]), (B, np.ones((2, 2))), (B * np.nan, b), (np.arange(18.0).reshape(2, 3, 3), b)):
        with pytest.raises(ValueError):
            tosst.Dictionary(*wrong)
    with pytest.raises(ValueError, match="scale"):
        tosst.Dictionary(B, b, 0)
    np.savez(tmp_path / "a.npz", B=B)
    with pytest.raises(ValueError, match="a.npz is not a dictionary: it has no member b"):
        tosst.Dictionary.load(tmp_path / "a.npz")
    (tmp_path / "b.npz").write_bytes(b"PK")
    for read in (tosst.load, tosst.Dictionary.load):
        with pytest.raises(ValueError, match="b.npz is not"):
            read(tmp_path / "b.npz")
    for scale in (np.ones(3), np.array("one"), np.float64("nan")):
        np.savez(tmp_path / "c.npz", B=B, b=b, scale=scale)
        with pytest.raises(ValueError, match="c.npz is not a dictionary: scale must be"):
            tosst.load(tmp_path / "c.npz")
    for meta in (b"{", b"[]", b"\xff", b'{"recipe": 5}'):
        np.savez(tmp_path / "d.npz", B=B, b=b)
        with zipfile.ZipFile(tmp_path / "d.npz", "a") as archive:
            archive.writestr("meta.json", meta)
        with pytest.raises(ValueError, match="d.npz is not a dictionary"):
            tosst.load(tmp_path / "d.npz")
    np.savez_compressed(tmp_path / "e.npz", B=B, b=b)
    data = bytearray((tmp_path / "e.npz").read_bytes())
    data[80] ^= 255  # among the compressed numbers of B
    (tmp_path / "e.npz").write_bytes(data)
    with pytest.raises(ValueError, match="e.npz is not a dictionary"):
        tosst.load(tmp_path / "e.npz")
    for wrong in ("B", None, B + 0j):
        with pytest.raises(ValueError, match="B must be an array of real numbers"):
            tosst.Dictionary(wrong, b)
    with pytest.raises(ValueError, match="B must be symmetric"):
        tosst.Dictionary(np.triu(B), b)


@pytest.mark.parametrize("name, data", [("a.npy", b""), ("a.npy", b"no array"), ("a.npy", b"\x93NUMPY"), ("a.tosst", b"\x80\x81"),
                                        ("a.sqlite", b"no database")])
def test_files_of_another_kind(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=f"{name} is not"):
        (tosst.load_runs if name == "a.sqlite" else tosst.load)(tmp_path / name)


def test_folder_is_no_store(tmp_path):
    with pytest.raises(ValueError, match="is not a store of runs"):
        tosst.load_runs(tmp_path)


@pytest.mark.parametrize("value", [None, "text", {"a": 1}, np.zeros(3, complex), np.zeros(3, "M8[s]"), np.array([None])], ids=range(6))
def test_only_numbers_are_written(tmp_path, value):
    with pytest.raises(ValueError, match="value must be an array of real numbers"):
        tosst.save(tmp_path / "T.npy", value)
    assert os.listdir(tmp_path) == []


def test_recipe_of_numpy_values():
    recipe = tosst.Recipe({"dictionary.atoms": np.int64(5), "coding.signed-alpha": np.bool_(True), "dictionary.lambda": np.float64(0.5)})
    assert recipe["dictionary.atoms"] == 5 and recipe["coding.signed-alpha"] is True and recipe["dictionary.lambda"] == 0.5


def test_dictionary_is_immutable():
    D = dictionaries()["super-symmetric"]
    with pytest.raises(ValueError):
        D.B[0] = 0


def test_a_failed_write_changes_nothing(tmp_path):
    path = tmp_path / "T.npy"
    tosst.save(path, np.ones((2, 3)))
    with pytest.raises(ValueError):
        tosst.save(path, "no array")
    assert np.array_equal(tosst.load(path), np.ones((2, 3))) and os.listdir(tmp_path) == ["T.npy"]


def special(tmp_path, name):
    """A pipe, a device or a file without content, by the name of a file."""
    path = tmp_path / ("a" + name)
    if name.startswith("-pipe"):
        os.mkfifo(path)
    elif name.startswith("-empty"):
        path.touch()
    else:
        path.symlink_to("/dev/zero")
    return path


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".tosst", ".sqlite"])
@pytest.mark.parametrize("kind", ["-pipe", "-device", "-empty"])
def test_no_file_to_read(tmp_path, kind, suffix):
    """They are refused at once: a pipe has nothing to read, and a device no end."""
    path = special(tmp_path, kind + suffix)
    reason = "is not a file of the programs: it is empty" if kind == "-empty" else "is not a regular file"
    reads = [tosst.load_runs] if suffix == ".sqlite" else [tosst.load]
    reads += {".npz": [tosst.Dictionary.load], ".tosst": [tosst.Recipe.load]}.get(suffix, [])
    for read in reads:
        with pytest.raises(ValueError) as error:
            read(path)
        assert str(error.value) == f"{path} {reason}"
    with pytest.raises(FileNotFoundError):
        reads[0](tmp_path / ("none" + suffix))


VALUES = {"a.npy": np.ones((2, 3)), "a.npz": tosst.Dictionary(np.ones((2, 3, 3)), np.ones((2, 3))), "a.tosst": tosst.Recipe({"dictionary.atoms": 3})}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("kind", ["-pipe", "-device"])
def test_devices_and_pipes_are_not_replaced(tmp_path, kind, name):
    path = special(tmp_path, kind + name)
    before = path.lstat()
    with pytest.raises(ValueError) as error:
        tosst.save(path, VALUES[name])
    assert str(error.value) == f"{path} is not a regular file and cannot be replaced"
    assert os.path.samestat(before, path.lstat()) and os.listdir(tmp_path) == [path.name]


def test_a_folder_is_not_replaced(tmp_path):
    with pytest.raises(IsADirectoryError):
        tosst.save(tmp_path, np.ones(3))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed(tmp_path, exists):
    (tmp_path / "to").mkdir()
    (tmp_path / "from").mkdir()
    target, link = tmp_path / "to" / "T.npy", tmp_path / "from" / "T.npy"
    if exists:
        tosst.save(target, np.zeros(5))
    link.symlink_to("../to/T.npy")
    tosst.save(link, np.ones(4))
    assert link.is_symlink() and not target.is_symlink() and np.array_equal(tosst.load(target), np.ones(4))
    assert os.listdir(tmp_path / "to") == os.listdir(tmp_path / "from") == ["T.npy"]


def test_permissions(tmp_path, monkeypatch):
    """Threads share the mask of new files, which is not changed for a moment either."""
    before = os.umask(0o027)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(os, "umask", None)
            tosst.save(tmp_path / "a.npy", np.ones(3))
            tosst.save(tmp_path / "b.npy", np.ones(3))
            (tmp_path / "b.npy").chmod(0o604)
            tosst.save(tmp_path / "b.npy", np.zeros(3))
    finally:
        assert os.umask(before) == 0o027
    assert (tmp_path / "a.npy").stat().st_mode & 0o7777 == 0o640
    assert (tmp_path / "b.npy").stat().st_mode & 0o7777 == 0o604


@pytest.mark.parametrize("name", VALUES)
def test_an_interrupted_write_leaves_the_file(tmp_path, monkeypatch, name):
    """Whenever it is interrupted: while it is flushed, and while it is renamed."""
    tosst.save(tmp_path / name, VALUES[name])
    before = (tmp_path / name).read_bytes()

    def interrupt(*arguments):
        raise KeyboardInterrupt

    for function in ("fsync", "replace", "fchmod"):
        with monkeypatch.context() as patch:
            patch.setattr(os, function, interrupt)
            with pytest.raises(KeyboardInterrupt):
                tosst.save(tmp_path / name, VALUES[name])
        assert (tmp_path / name).read_bytes() == before and os.listdir(tmp_path) == [name]
