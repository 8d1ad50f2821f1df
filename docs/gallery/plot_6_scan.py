"""
How many branches?
==================

A random network has no exact number of branches: every additional branch lowers the error. A scan
shows the error against the number of parameters.
"""

import unbraid

samples = unbraid.cases.network_samples(400, random_state=0)
basis = unbraid.BSpline(10)
found = unbraid.scan(samples, n_branches=[1, 2, 3, 4, 5, 6], basis=basis, progress=False)
figure = found.plot()

# %%
# All rows are compared on the same held-out points. ``best`` returns the smallest model that is
# about as good as the best one, or the smallest one below a given error.

print(found)
print("within 5 %:", found.best_row(tolerance=5).label)
