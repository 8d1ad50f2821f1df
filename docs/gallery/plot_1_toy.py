"""
Take a polynomial apart
=======================

The toy problem of the paper: two polynomials of two variables, given by their coefficients. They
were made from three cubics. Nothing in the table of coefficients tells.
"""

import unbraid

f = unbraid.cases.toy_polynomial()
print(f.coefficients)

# %%
# A hundred points, values and exact Jacobians there, and the number of branches is found.

points = unbraid.sampling.uniform(100, [-1.5, -1.5], [1.5, 1.5], random_state=0)
d = unbraid.decouple(f, points, n_branches="auto", random_state=0)
figure = d.plot()

# %%
# The circles are what the samples say of each branch, the line is the cubic that was fitted, and
# the histogram shows where the points lie. What is left:

print(f"{d.n_branches} branches")
print(f"error on points not fitted: {d.held_out_error.max():.0e} %")
print(d.describe())
