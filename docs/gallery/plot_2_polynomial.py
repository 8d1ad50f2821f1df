"""
Reduce 251 coefficients to three curves
=======================================

A polynomial of degree 5 in 5 inputs has 251 monomials. This one is a sum of three functions of one
variable, drawn at random as in section 7 of the paper.
"""

import matplotlib.pyplot as plt
import numpy as np

import unbraid
from unbraid.cases import random_polynomial

f = random_polynomial(n_inputs=5, degree=5, n_branches=3, random_state=1)
points = unbraid.sampling.uniform(200, -1.5 * np.ones(5), 1.5, random_state=1)
d = unbraid.decouple(f, points, n_branches="auto", random_state=0)
print(d)
print(unbraid.metrics.monomial_count(5, 5), "monomials,", d.n_parameters, "parameters")

# %%
# Directions are determined up to their length and sign. Each column of V is therefore compared with
# the closest true direction.

truth = f.V / np.linalg.norm(f.V, axis=0)
cosines = truth.T @ d.V
print("cosine of the angle to the true direction:", np.abs(cosines).max(axis=0).round(10))

figure, axes = plt.subplots(1, 3, figsize=(9.5, 3), layout="constrained")
for i, panel in enumerate(axes):
    z = np.linspace(*d.branches[i].interval, 200)
    path = z[:, None] * np.linalg.pinv(d.V)[i]  # points where only this z varies
    branch = d.W[0, i] * (d.branches[i](z) - d.branches[i](0.0))
    panel.plot(z, f(path), color="#5b8db8", lw=5, alpha=0.5, label="f along the direction")
    panel.plot(z, branch, color="#c8402f", label="branch")
    panel.set_xlabel(f"$z_{i + 1}$")
    panel.spines[["top", "right"]].set_visible(False)
axes[0].legend(frameon=False)
