#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""draw-atoms.py [OUT.png]: from images to tensors, atoms, codes and classes, with a picture of the atoms.

Needs NumPy, Matplotlib and scikit-learn. textures() stands for any images of equal or different size: replace it by your own.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import tosst

# %% Images: three textures, 12 images of 64 x 64 pixels of each.


def textures(rng):
    y, x = np.mgrid[:64, :64]
    for kind in range(36):
        phase, noise = rng.uniform(0, 6, 3), rng.normal(size=(64, 64))
        stripes = np.sin(0.8 * x + phase[0])
        checks = np.sin(0.5 * x + phase[1]) * np.sin(0.5 * y + phase[2])
        blobs = np.real(np.fft.ifft2(np.fft.fft2(noise) * np.exp(-np.hypot(*np.meshgrid(*[np.fft.fftfreq(64)] * 2)) * 20)))
        pattern = (stripes, checks, 3 * blobs / blobs.std() / 3)[kind % 3]
        yield (0.5 + 0.2 * pattern + 0.03 * noise).clip(0, 1)


images = list(textures(np.random.default_rng(1)))
labels = np.arange(len(images)) % 3

# %% Tensors of patches: equation (1), features x, y, I, I_x, I_y, I_xx, I_yy.

descriptor = tosst.TextureDescriptor("linear", patch_size=20, step=11)
tensors = descriptor.transform(images)
print(f"{len(images)} images with {tensors.shape[1]} tensors of {tensors.shape[2]} numbers each")

# %% A dictionary, equation (5), after whitening.

whitening = tosst.EigenvaluePowerNormalizer(0.5)
learner = tosst.TensorDictionaryLearning(16, max_iter=30, callback=lambda row: None)
codes = learner.fit_transform(whitening.fit_transform(tensors))
print(f"objective {learner.objective_:.4g} after {learner.n_iter_} iterations, "
      f"{np.count_nonzero(codes) / codes[..., 0].size:.1f} of {learner.n_components_} atoms in a code")

# %% The atoms: a matrix B_k and a vector b_k each. The most used first.

order = np.argsort(-(codes**2).sum(axis=(0, 1)))
names = descriptor.labels()
figure, axes = plt.subplots(4, 8, figsize=(12, 7), gridspec_kw={"width_ratios": [3, 1] * 4}, layout="constrained")
for k, (matrix, vector) in zip(order, axes.reshape(-1, 2)):
    B, b = learner.dictionary_.B[k], learner.dictionary_.b[k]
    matrix.imshow(B, cmap="RdBu_r", vmin=-abs(B).max(), vmax=abs(B).max())
    matrix.set_xticks(range(len(names)), names, fontsize=5, rotation=90)
    matrix.set_yticks(range(len(names)), names, fontsize=5)
    matrix.set_title(f"$B_{{{k}}}$", fontsize=8)
    vector.barh(range(len(b)), b, color="0.4")
    vector.invert_yaxis()
    vector.set_title(f"$b_{{{k}}}$", fontsize=8)
    vector.set_xticks([])
    vector.set_yticks([])
output = sys.argv[1] if len(sys.argv) > 1 else "atoms.png"
figure.savefig(output, dpi=150)
print(f"atoms in {output}")

# %% From images to classes. Each split learns a dictionary of its own, from its training images.

pipeline = make_pipeline(descriptor, whitening, tosst.TensorDictionaryLearning(16, max_iter=10), tosst.CodePooling(),
                         LinearSVC(C=100))
print(f"accuracy {100 * cross_val_score(pipeline, images, labels, cv=3).mean():.1f} %")
