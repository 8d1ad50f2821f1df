"""
Data alone
==========

No model and no derivatives: 300 noisy rows of Friedman's function of ten inputs, of which five do
nothing. ``DecoupledRegressor`` is an estimator of scikit-learn.
"""

from sklearn.datasets import make_friedman1

import unbraid

X, y = make_friedman1(300, noise=1.0, random_state=0)
model = unbraid.DecoupledRegressor(n_branches=4, random_state=0).fit(X, y)
figure = model.plot()

# %%
# The function is :math:`10 \sin(\pi x_1 x_2) + 20 (x_3 - 0.5)^2 + 10 x_4 + 5 x_5`. The square is
# one branch, the straight terms are another; the product of two inputs needs the other two. Rows
# without noise, not seen before:

fresh, truth = make_friedman1(1000, noise=0.0, random_state=1)
print(f"R² = {model.score(fresh, truth):.3f}")
print(model.describe().words)
