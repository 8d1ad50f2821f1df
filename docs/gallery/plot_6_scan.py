"""
How many branches?
==================

A random network has no exact number of branches: each one more buys some accuracy. A scan shows
what it costs.
"""

import unbraid

samples = unbraid.cases.network_samples(400, random_state=0)
basis = unbraid.BSpline(10)
found = unbraid.scan(samples, n_branches=[1, 2, 3, 4, 5, 6], basis=basis, progress=False)
figure = found.plot()

# %%
# Every row was judged on the same points, which none of them was fitted to. ``best`` takes the
# smallest that is about as good as the best, or the smallest within an error that you name.

print(found)
print("within 5 %:", found.best_row(tolerance=5).label)
