"""
Noise and bands
===============

Measured values and Jacobians are noisy. Smoothing is selected by cross-validation. A band of two
standard errors shows the uncertainty of each branch.
"""

import matplotlib.pyplot as plt
import numpy as np

import unbraid

rng = np.random.default_rng(0)
points = rng.normal(0, 0.6, (200, 2))
V = np.array([[0.6, 0.8], [-0.8, 0.6]])  # columns are the directions
z = points @ V
values = np.sin(3 * z[:, 0]) + 0.5 * z[:, 1] ** 2
slopes = np.stack([3 * np.cos(3 * z[:, 0]), z[:, 1]], axis=1)
jacobians = (slopes[:, None, :] * V).sum(axis=2)  # (N, m): the gradients

noisy = unbraid.Samples(
    points,
    values + 0.03 * rng.normal(size=200),
    jacobians + 0.1 * rng.normal(size=(200, 2)),
)
d = unbraid.decouple(noisy, n_branches=2, basis=unbraid.BSpline(12), random_state=0)
figure = d.plot()

# %%
# The band is narrow where there are many points and wide at the ends of the range, where the
# histogram is low. The directions and their standard errors:

print(d.V.round(3))
print(d.solution.uncertainty.V_standard_errors.round(4))

# %%
# In this example the true branch is known. Its difference from the estimate is compared with the
# band.

figure2, panel = plt.subplots(figsize=(6, 3.2), layout="constrained")
branch = d.branches[0]
grid = np.linspace(*branch.interval, 300)
half = np.interp(grid, *branch.band.T)
sign = np.sign(d.V[:, 0] @ V[:, 0])
true = np.sin(3 * sign * grid) * np.sign(d.W[0, 0])
true += np.mean(branch(grid) - true)  # constants belong to the offset
panel.fill_between(grid, -half, half, color="#c8402f", alpha=0.2, lw=0, label="band")
panel.plot(grid, true - branch(grid), color="#222222", lw=1, label="truth minus branch")
panel.set(xlabel="$z_1$", title="the first branch")
panel.spines[["top", "right"]].set_visible(False)
panel.legend(frameon=False)
