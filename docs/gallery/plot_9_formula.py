"""
From curves to a formula and to C
=================================

If the shapes of the branches are known, pass them as a basis; the coefficients then have a meaning.
The example is a friction law that is known to contain a tanh of the speed and a square.
"""

import matplotlib.pyplot as plt
import numpy as np

import unbraid
from unbraid import CustomBasis, export


def friction(p):
    speed, load = p.T
    return 2.0 * np.tanh(3 * speed) + 0.5 * (speed + load) ** 2


points = unbraid.sampling.uniform(300, [-1, -1], [1, 1], random_state=0)
basis = CustomBasis(
    [lambda z: np.tanh(3 * z), lambda z: z**2],
    [lambda z: 3 / np.cosh(3 * z) ** 2, lambda z: 2 * z],
)
known = unbraid.decouple(friction, points, n_branches=2, basis=basis, random_state=0)
for branch in known.branches:
    print("tanh(3 z): {:7.4f}   z²: {:7.4f}".format(*branch.curve.coefficients))

# %%
# If the shapes are not known, they are estimated, and simple ones are named:

d = unbraid.decouple(friction, points, n_branches=2, random_state=0)
d = d.named(["v", "F"], ["R"])
text = d.describe()
print(text.words)

# %%
# ``text.to_latex()`` is the formula in LaTeX. Here matplotlib draws it row by row.

rows = text.to_latex().splitlines()[1:-1]  # without \begin{aligned} and \end{aligned}
rows = [row.replace("&", "").removesuffix(r"\\").strip() for row in rows]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
for i, row in enumerate(rows):
    left.text(0.02, 0.9 - 0.2 * i, f"${row}$", fontsize=12, transform=left.transAxes)
left.set_axis_off()
for i, colour in enumerate(("#c8402f", "#5b8db8")):
    z = np.linspace(*d.branches[i].interval, 200)
    right.plot(z, d.W[0, i] * d.branches[i](z), color=colour, label=f"branch {i + 1}")
right.spines[["top", "right"]].set_visible(False)
right.set_xlabel("z")
right.legend(frameon=False)

# %%
# The export to C is one file with values and Jacobian. It needs no library.

source = export.to_c(d, name="friction")
print("\n".join(line for line in source.splitlines() if line.startswith(("/*", " *", "void"))))
