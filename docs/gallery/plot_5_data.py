"""
Fit data without a model
========================

The data are 300 noisy rows of Friedman's function of ten inputs, of which five have no effect.
There is no model and there are no derivatives. ``DecoupledRegressor`` is a scikit-learn estimator.
"""

from sklearn.datasets import make_friedman1

import unbraid

X, y = make_friedman1(300, noise=1.0, random_state=0)
model = unbraid.DecoupledRegressor(n_branches=4, random_state=0).fit(X, y)
figure = model.plot()

# %%
# The function is :math:`10 \sin(\pi x_1 x_2) + 20 (x_3 - 0.5)^2 + 10 x_4 + 5 x_5`. The square is
# one branch, and the linear terms are another one. The product of two inputs needs the other two.
# R² on new rows without noise:

fresh, truth = make_friedman1(1000, noise=0.0, random_state=1)
print(f"R² = {model.score(fresh, truth):.3f}")
print(model.describe().words)
