"""
Decouple a polynomial
=====================

The toy problem of the paper: two polynomials of two variables, given by their coefficients. They
are sums of three cubics. The table of coefficients does not show this.
"""

import unbraid

f = unbraid.cases.toy_polynomial()
print(f.coefficients)

# %%
# The polynomials and their exact Jacobians are evaluated at a hundred points. The number of
# branches is selected on held-out points.

points = unbraid.sampling.uniform(100, [-1.5, -1.5], [1.5, 1.5], random_state=0)
d = unbraid.decouple(f, points, n_branches="auto", random_state=0)
figure = d.plot()

# %%
# The circles are partial residuals, the line is the fitted cubic, and the histogram shows the
# distribution of the points. The remaining error and the description:

print(f"{d.n_branches} branches")
print(f"held-out error: {d.held_out_error.max():.0e} %")
print(d.describe())
