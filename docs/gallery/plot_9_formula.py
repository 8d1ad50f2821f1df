"""
From curves to a formula, and to C
==================================

Where you know what branches are made of, say so: then the coefficients mean something. Here a
friction law, of which it is known that it has a tanh of the speed and a square.
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
# Without such knowledge the shapes are found, and named where they are plain:

d = unbraid.decouple(friction, points, n_branches=2, random_state=0)
d = d.named(["v", "F"], ["R"])
text = d.describe()
print(text.words)

# %%
# ``text.latex`` goes into a paper. Here matplotlib draws it, a row at a time.

rows = text.latex.splitlines()[1:-1]  # without \begin{aligned} and \end{aligned}
rows = [row.replace("&", "").removesuffix(r"\\").strip() for row in rows]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
for i, row in enumerate(rows):
    left.text(0.02, 0.9 - 0.2 * i, f"${row}$", fontsize=12, transform=left.transAxes)
left.set_axis_off()
for i, colour in enumerate(("#c8402f", "#5b8db8")):
    z = np.linspace(*d.branches[i].interval, 200)
    right.plot(z, d.W[0, i] * d.branches[i](z), color=colour, label=text.branches[i].shape.name)
right.spines[["top", "right"]].set_visible(False)
right.set_xlabel("z")
right.legend(frameon=False)

# %%
# And to a controller: one C file, values and Jacobian, no library.

source = export.to_c(d, name="friction")
print("\n".join(line for line in source.splitlines() if line.startswith(("/*", " *", "void"))))
