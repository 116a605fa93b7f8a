# SPDX-License-Identifier: GPL-3.0-or-later
"""Tensors of images."""

import numpy as np
import pytest

import tosst

CASES = {
    "rbf": {"descriptor.kind": "rbf", "descriptor.luminance": False, "descriptor.step": 30},
    "linear": {"descriptor.kind": "linear", "descriptor.absolute": True},
    "colour": {"descriptor.kind": "linear", "descriptor.opponent": True, "descriptor.patch": 16},
    "covariance": {"descriptor.kind": "covariance"},
    "whitened": {"descriptor.kind": "linear", "descriptor.gamma-eigen": 0.5, "descriptor.gamma-coefficient": 0.7},
}


def write_pnm(path, image):
    """A binary PGM or PPM of 8 or 16 bits."""
    height, width = image.shape[:2]
    head = f"P{5 if image.ndim == 2 else 6}\n{width} {height}\n{np.iinfo(image.dtype).max}\n"
    path.write_bytes(head.encode() + image.astype(image.dtype.newbyteorder(">")).tobytes())


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("case", CASES)
def test_bits_of_describe(program, tmp_path, case, dtype):
    recipe = tosst.Recipe(CASES[case])
    size = (70, 90, 3) if case == "colour" else (70, 90)
    image = np.random.default_rng(1).integers(0, np.iinfo(dtype).max, size, dtype=dtype, endpoint=True)
    write_pnm(tmp_path / "image.pnm", image)
    tosst.save(tmp_path / "r.tosst", recipe)
    program("describe", tmp_path / "image.pnm", "-o", tmp_path / "T.npy", "--recipe", tmp_path / "r.tosst", "--quiet")
    theirs = tosst.load(tmp_path / "T.npy")
    descriptor = tosst.TextureDescriptor.from_recipe(recipe)
    ours = descriptor.fit_transform([image])[0]
    if descriptor.shape.kind == "symmetric":
        theirs = tosst.pack(theirs)
    assert np.array_equal(ours, theirs)
    if case == "whitened":
        plain = tosst.TextureDescriptor("linear").transform([image])
        assert np.array_equal(tosst.EigenvaluePowerNormalizer(0.5, 0.7).fit_transform(plain)[0], theirs)


def test_equation_1():
    """Of features without derivatives the tensor is their mean third power."""
    image = np.full((20, 20), 0.25)
    X = tosst.unpack(tosst.TextureDescriptor("linear").transform([image])[0])[0]
    position = np.linspace(0, 1, 20)
    assert np.isclose(X[0, 0, 0], (position**3).mean()) and np.isclose(X[2, 2, 2], 0.25**3)
    assert np.isclose(X[0, 1, 2], 0.25 * 0.25) and np.allclose(X[3:], 0, atol=1e-7)


def test_images_of_several_sizes():
    rng = np.random.default_rng(1)
    out = tosst.TextureDescriptor("linear", step=20).transform([rng.random((40, 40)), rng.random((60, 40, 3))])
    assert [part.shape for part in out] == [(4, 84), (6, 84)]
    assert len(tosst.TextureDescriptor("linear").labels()) == 7


@pytest.mark.parametrize("parameters, image, message", [
    ({"kind": "best"}, np.zeros((30, 30)), "kind must be"),
    ({"pivots": 1}, np.zeros((30, 30)), "pivots"),
    ({}, np.zeros((10, 10)), "has no patch"),
    ({}, np.zeros((30, 30, 2)), "an image is"),
    ({}, np.full((30, 30), np.nan), "NaN"),
    ({}, np.zeros((30, 30), dtype=np.uint32), "8 or 16 bits"),
])
def test_errors(parameters, image, message):
    with pytest.raises(ValueError, match=message):
        tosst.TextureDescriptor(**parameters).transform([image])


def test_pooling_kinds():
    codes = np.array([[1.0, 0.0, 0.5], [0.5, 0.0, 0.5]], dtype=np.float32)
    expected = {"average": [0.75, 0, 0.5], "max": [1, 0, 0.5], "gamma": np.sqrt([0.75, 0, 0.5]), "axmin": [1, 0, 1],
                "exapro": [1, 0, 0.75], "at-n": [0.75, 0, 0.5], "maxexp": [1 - 0.25**2, 0, 0.75]}
    for kind, values in expected.items():
        pooled = tosst.CodePooling(kind, power=1, normalize=None).fit_transform([codes])
        assert np.allclose(pooled, [values]), kind
    assert np.isclose(np.linalg.norm(tosst.CodePooling().fit_transform([codes])), 1)
    for wrong in (tosst.CodePooling("best"), tosst.CodePooling("gamma", parameter=2), tosst.CodePooling(normalize="l1")):
        with pytest.raises(ValueError):
            wrong.fit_transform([codes])
