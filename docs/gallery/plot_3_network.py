"""
Look inside a network
=====================

A network of scikit-learn learns how a drag force depends on speed, wind, angle and temperature. Two
layers of 20 neurons know it, and cannot say it. A module of PyTorch or an ONNX file would go the
same way.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

import unbraid

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (1000, 4))  # speed, wind, angle, temperature, each scaled to -1 ... 1
y = (X[:, 0] - X[:, 1] + 0.5) ** 2 + 0.4 * np.sin(3 * X[:, 2]) + 0.5 * np.exp(X[:, 3])
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)  # 2000 steps are enough here
    network = MLPRegressor(
        hidden_layer_sizes=(20, 20),
        activation="tanh",
        solver="lbfgs",
        max_iter=2000,
        random_state=0,
    ).fit(X, y)

# %%
# Its Jacobians are read off the weights, so the network is all that is needed.

names = ["speed", "wind", "angle", "temperature"]
d = unbraid.decouple(network, X[:500], n_branches="auto", tolerance=1.0, random_state=0)
d = d.named(names, ["drag"])
figure = d.plot()

# %%
# What it learnt, in words, and how many numbers that takes:

print(d.describe().words)
weights = sum(array.size for array in (*network.coefs_, *network.intercepts_))
print(f"{weights} weights, {d.n_parameters} numbers, {d.held_out_error[0]:.2g} % apart")
