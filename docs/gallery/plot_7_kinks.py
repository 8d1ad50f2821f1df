"""
Kinks
=====

A ReLU has a kink. Branches of the default method are smooth and round it. A warning reports this.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import unbraid

points = unbraid.sampling.uniform(300, [-1, -1], [1, 1], random_state=0)


def f(p):
    return np.maximum(p @ [0.8, 0.6] - 0.2, 0.0)


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    smooth = unbraid.decouple(f, points, n_branches=1, random_state=0)
print(caught[-1].message)
print(smooth)

# %%
# The implicit method accepts a constraint, which allows the derivative of a branch to jump. The
# position of the kink is detected from the data.

sharp = unbraid.decouple(
    f,
    points,
    n_branches=1,
    method="implicit",
    basis=None,
    constraints=unbraid.BranchConstraint(breaks="detect"),
    random_state=0,
)
print(sharp)

# %%
# Near the kink the two branches differ. Their derivatives differ more: the smooth one oscillates.

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3), layout="constrained")
z = np.linspace(0.05, 0.35, 600)
styles = ((smooth, "#5b8db8", "-", "smooth"), (sharp, "#c8402f", "--", "with constraint"))
for d, colour, line, name in styles:
    size = d.W[0, 0]
    axes[0].plot(z, size * (d.branches[0](z) - d.branches[0](-0.6)), line, color=colour, label=name)
    axes[1].plot(z, size * d.branches[0].derivative(z), line, color=colour)
axes[0].set(title="the branch, near its kink", xlabel="z")
axes[1].set(title="its derivative", xlabel="z")
axes[0].legend(frameon=False)
for panel in axes:
    panel.spines[["top", "right"]].set_visible(False)
