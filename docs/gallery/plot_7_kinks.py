"""
Kinks, and what the warning says
================================

A ReLU bends in one point. Branches of the default method are smooth: they round the corner, and a
warning says so.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import unbraid

points = unbraid.sampling.uniform(300, [-1, -1], [1, 1], random_state=0)


def f(p):
    return np.maximum(p @ [0.8, 0.6] - 0.2, 0.0)


with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    smooth = unbraid.decouple(f, points, n_branches=1, random_state=0)
print(told[-1].message)
print(smooth)

# %%
# The implicit method can be given a mould, which lets a branch break where its data do.

sharp = unbraid.decouple(
    f,
    points,
    n_branches=1,
    method="implicit",
    basis=None,
    moulds=unbraid.Mould(breaks="detect"),
    random_state=0,
)
print(sharp)

# %%
# Near the corner the two differ, and their slopes more so: the smooth one swings.

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3), layout="constrained")
z = np.linspace(0.05, 0.35, 600)
styles = ((smooth, "#5b8db8", "-", "smooth"), (sharp, "#c8402f", "--", "moulded"))
for d, colour, line, name in styles:
    size = d.W[0, 0]
    axes[0].plot(z, size * (d.branches[0](z) - d.branches[0](-0.6)), line, color=colour, label=name)
    axes[1].plot(z, size * d.branches[0].derivative(z), line, color=colour)
axes[0].set(title="the branch, near its kink", xlabel="z")
axes[1].set(title="its slope", xlabel="z")
axes[0].legend(frameon=False)
for panel in axes:
    panel.spines[["top", "right"]].set_visible(False)
