# SPDX-License-Identifier: GPL-3.0-or-later
"""What needs core of the programs: more of recipes, and images that are there twice."""

import json
import subprocess
import sys

import numpy as np
import pytest

import tosst

WITHOUT = """
import sys
sys.modules["tosst._core"] = None
import numpy as np, tosst
for what, call in {
    "Recipe.why_inactive()": lambda: tosst.Recipe().why_inactive("dictionary.rank"),
    "find_duplicates()": lambda: tosst.find_duplicates("."),
}.items():
    try:
        call()
    except ImportError as error:
        assert str(error).startswith(what + " needs libraries of the programs, which this package was built without: on Debian install"), error
        continue
    raise AssertionError(what)
assert tosst.Recipe({"dictionary.atoms": 7}).differences() == {"dictionary.atoms": (7, 200)}
assert tosst.TensorSparseCoder(n_components=3).fit_transform(np.random.default_rng(1).random((9, 20))).shape == (9, 3)
"""


def write_pnm(path, image):
    header = b"P%d %d %d 255\n" % (6 if image.ndim == 3 else 5, image.shape[1], image.shape[0])
    path.write_bytes(header + image.tobytes())
    return path


def test_without_core():
    done = subprocess.run([sys.executable, "-c", WITHOUT], stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, done.stderr


RECIPES = [{}, {"descriptor.kind": "sift"}, {"descriptor.kind": "lbp"}, {"coding.method": "raw"}, {"dictionary.scheme": "low-rank", "dictionary.rank": 2},
           {"descriptor.frames": "keypoints", "pooling.order": 2, "classifier.beside": "fisher"}, {"dictionary.minibatch": 100}, {"dictionary.solver": "gradient"}]


@pytest.mark.parametrize("values", RECIPES, ids=str)
def test_inactive_parameters_are_those_of_the_program(program, values):
    """`tosst recipe` leaves them out, and gives the reason where one is explained."""
    recipe = tosst.Recipe(values)
    settings = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    shown = json.loads(program("recipe", "--json", *settings))
    active = [key for key in recipe if recipe.why_inactive(key) is None]
    assert sorted(shown) == sorted(active)
    text = recipe.to_text(only_changes=False, active=True)
    assert set(tosst.Recipe.parse(text)._changes) == set(active)


def test_differences_have_what_has_an_effect():
    """The rank has none with free atoms, the kind of pooling none of order 2; defaults of SIFT differ from those of patches."""
    recipe = tosst.Recipe({"dictionary.rank": 3, "dictionary.atoms": 50, "pooling.kind": "max", "pooling.order": 2})
    assert recipe.differences(active=True) == {"dictionary.atoms": (50, 200), "pooling.order": (2, 1)}
    assert set(recipe.differences()) == {"dictionary.rank", "dictionary.atoms", "pooling.kind", "pooling.order"}
    assert recipe.to_text(active=True) == "[dictionary]\natoms=50\n\n[pooling]\norder=2\n"
    other = tosst.Recipe({"dictionary.scheme": "low-rank", "dictionary.rank": 2})
    assert recipe.differences(other, active=True)["dictionary.rank"] == (3, 2)
    assert recipe.differences(recipe) == {}
    assert tosst.Recipe({"descriptor.kind": "sift"}).differences() == {"descriptor.kind": ("sift", "rbf")}
    assert tosst.Recipe({"dictionary.atoms": 200.0}).differences() == {}


def test_unknown_and_wrong_parameters():
    with pytest.raises(ValueError, match="^unknown key dictionary.atom; did you mean dictionary.atoms"):
        tosst.Recipe().why_inactive("dictionary.atom")
    with pytest.raises(ValueError, match="dictionary.atoms"):
        tosst.Recipe({"dictionary.atoms": "many"}).why_inactive("dictionary.rank")


def texture(seed, side):
    """A coarse pattern, which is the same at any size."""
    coarse = np.random.default_rng(seed).integers(20, 230, (12, 12)).astype(np.uint8)
    return np.kron(coarse, np.ones((side // 12, side // 12), np.uint8))


def test_duplicates(tmp_path):
    (tmp_path / "b").mkdir()
    paths = [write_pnm(tmp_path / name, image) for name, image in (
        ("a1.pgm", texture(1, 96)), ("a2.pgm", texture(2, 96)), ("a3.pgm", texture(3, 96)), ("b/c1.pgm", texture(1, 96)),
        ("b/c2.pgm", texture(2, 60)), ("b/c4.pgm", texture(4, 96)))]
    expected = [(str(paths[0]), str(paths[3]), True), (str(paths[1]), str(paths[4]), False)]
    assert tosst.find_duplicates(tmp_path) == expected == tosst.find_duplicates(paths)
    assert tosst.find_duplicates(paths[2:4]) == [] == tosst.find_duplicates([])
    (tmp_path / "a0.png").write_bytes(b"no image")
    with pytest.warns(UserWarning, match="a0.png: ") as told:
        assert tosst.find_duplicates(tmp_path) == expected
    assert told[0].filename == __file__
    with pytest.raises(ValueError, match="nothing"):
        tosst.find_duplicates(tmp_path / "nothing")
    with pytest.raises(ValueError, match="nothing.png"):
        tosst.find_duplicates([tmp_path / "nothing.png"])
