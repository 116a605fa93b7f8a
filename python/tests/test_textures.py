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
    "unlit": {"descriptor.kind": "linear", "descriptor.photometric": True},
    "keypoints": {"descriptor.kind": "rbf", "descriptor.pivots": 3, "descriptor.frames": "keypoints", "descriptor.most": 40,
                  "descriptor.longest-side": 60, "descriptor.photometric": True},
    "scales": {"descriptor.kind": "autocorrelation", "descriptor.frames": "dense-scales", "descriptor.most": 60,
               "descriptor.finest": 1},
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


def texture(height, width):
    """Blobs of several sizes."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[:height, :width]
    image = np.full((height, width), 0.5)
    for cx, cy, r, sign in zip(rng.uniform(15, width - 15, 40), rng.uniform(15, height - 15, 40), rng.uniform(2, 6, 40),
                               rng.choice([-0.4, 0.4], 40)):
        image += sign * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * r * r))
    return np.clip(image, 0, 1)


def nearest(rows, others):
    """Distance of each row to the nearest of others, relative to its length."""
    return np.array([np.linalg.norm(others - row, axis=1).min() / np.linalg.norm(row) for row in rows])


@pytest.mark.parametrize("parameters", [{}, {"detector": "hessian"}, {"detector": "hessian", "frame_shape": "affine"}])
def test_keypoints_follow_rotation(parameters):
    """Patches at keypoints are turned with the image, so that their tensors remain; upright ones do not."""
    image = texture(120, 150)
    turned = np.rot90(image).copy()
    descriptor = tosst.TextureDescriptor("linear", frames="keypoints", most=100, **parameters)
    ours, theirs = descriptor.transform([image])[0], descriptor.transform([turned])[0]
    assert 20 <= len(ours) <= 100 and np.median(nearest(ours, theirs)) < 0.02
    upright = tosst.TextureDescriptor("linear", frames="keypoints", most=100, upright=True, **parameters)
    assert np.median(nearest(upright.transform([image])[0], upright.transform([turned])[0])) > 0.02


def test_light():
    """Without its light a patch does not know brightness and contrast, at frames or on the grid."""
    image = 0.6 * texture(100, 110) + 0.4 * np.random.default_rng(2).random((100, 110))  # no patch is flat
    for frames in ("grid", "dense-scales"):
        unlit = tosst.TextureDescriptor("linear", frames=frames, photometric=True, most=50)
        lit = tosst.TextureDescriptor("linear", frames=frames, most=50)
        assert np.allclose(unlit.transform([image])[0], unlit.transform([0.2 + 0.5 * image])[0], atol=2e-4)
        assert not np.allclose(lit.transform([image])[0], lit.transform([0.2 + 0.5 * image])[0], atol=1e-3)


def test_frames_of_recipe():
    """All values of frames are taken from a recipe; a reduced image has frames all over the whole one."""
    recipe = tosst.Recipe({"descriptor.kind": "linear", "descriptor.frames": "keypoints", "descriptor.detector": "hessian",
                           "descriptor.shape": "affine", "descriptor.upright": True, "descriptor.most": 30,
                           "descriptor.longest-side": 90, "descriptor.photometric": True})
    descriptor = tosst.TextureDescriptor.from_recipe(recipe)
    assert descriptor.frame_shape == "affine" and descriptor.detector == "hessian" and descriptor.upright
    assert descriptor.most == 30 and descriptor.longest_side == 90 and descriptor.photometric
    assert descriptor.transform([texture(120, 180)])[0].shape == (30, 84)
    colours = np.stack([texture(80, 90)] * 3, axis=2)
    few = tosst.TextureDescriptor("linear", frames="keypoints", most=20)
    assert np.allclose(few.transform([colours])[0], few.transform([colours[:, :, 0]])[0], rtol=1e-3, atol=1e-4)


def test_no_frames(program, tmp_path):
    """A flat image and one of a few pixels have one patch, as in the program."""
    recipe = tosst.Recipe({"descriptor.kind": "linear", "descriptor.frames": "keypoints", "descriptor.photometric": True})
    images = [np.full((30, 41), 90, np.uint8), np.arange(12, dtype=np.uint8).reshape(3, 4)]
    with pytest.warns(UserWarning, match="no frames"):
        ours = tosst.TextureDescriptor.from_recipe(recipe).transform(images)
    assert ours.shape == (2, 1, 84)
    tosst.save(tmp_path / "r.tosst", recipe)
    for i, image in enumerate(images):
        write_pnm(tmp_path / "image.pnm", image)
        program("describe", tmp_path / "image.pnm", "-o", tmp_path / "T.npy", "--recipe", tmp_path / "r.tosst", "--quiet")
        assert np.array_equal(ours[i], tosst.load(tmp_path / "T.npy"))


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
    ({"frames": "corners"}, np.zeros((30, 30)), "frames must be"),
    ({"frames": "keypoints", "detector": "best"}, np.zeros((30, 30)), "detector must be"),
    ({"frames": "dense-scales", "most": -1}, np.zeros((30, 30)), "most must be"),
    ({"patch_size": 1}, np.zeros((30, 30)), "patch_size must be"),
    ({"patch_size": 0, "frames": "dense-scales"}, np.zeros((30, 30)), "patch_size must be"),
    ({"patch_size": 2.5}, np.zeros((30, 30)), "patch_size must be"),
    ({"step": 0}, np.zeros((30, 30)), "step must be"),
    ({"step": "10"}, np.zeros((30, 30)), "step must be"),
    ({"features": "best"}, np.zeros((30, 30)), "features must be"),
    ({"sigma_first": "a"}, np.zeros((30, 30)), "sigma_first must be"),
    ({"range_second": np.inf}, np.zeros((30, 30)), "range_second must be"),
    ({"finest": 0}, np.zeros((30, 30)), "finest must be"),
    ({"longest_side": 1.5}, np.zeros((30, 30)), "longest_side must be"),
    ({"gamma_eigen": "a"}, np.zeros((30, 30)), "gamma_eigen must be"),
    ({}, np.full((30, 30), 255.0), "values from 0 to 1, not from 0 to 255"),
    ({}, np.full((30, 30), 255), "8 or 16 bits"),
    ({}, np.zeros((30, 30), dtype=complex), "8 or 16 bits"),
    ({}, "image.png", "8 or 16 bits"),
    ({}, np.zeros((30, 30, 2)), "an image is"),
    ({}, np.full((30, 30), np.nan), "NaN"),
    ({}, np.zeros((30, 30), dtype=np.uint32), "8 or 16 bits"),
])
def test_errors(parameters, image, message):
    with pytest.raises(ValueError, match=message):
        tosst.TextureDescriptor(**parameters).transform([image])


@pytest.mark.parametrize("images", [[], None, 5, np.empty((0, 30, 30))])
def test_no_images(images):
    with pytest.raises(ValueError, match="at least one image"):
        tosst.TextureDescriptor().transform(images)


def test_images_from_a_generator():
    images = np.random.default_rng(1).random((3, 30, 30))
    descriptor = tosst.TextureDescriptor("linear")
    assert np.array_equal(descriptor.transform(image for image in images), descriptor.transform(images))


def test_pooling_of_pairs():
    codes = np.random.default_rng(3).random((30, 8))
    values, vectors = np.linalg.eigh(codes.T @ codes / len(codes))
    root = (vectors * np.sqrt(values)) @ vectors.T
    rows, columns = np.triu_indices(8)
    pooled = tosst.CodePooling(order=2, power=0.5, normalize=None).fit_transform([codes, codes[:5]])
    np.testing.assert_allclose(pooled[0], root[rows, columns] * np.where(rows == columns, 1, np.sqrt(2)), atol=1e-5)
    assert np.isclose(np.linalg.norm(tosst.CodePooling(order=2).fit_transform([codes])), 1)


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
