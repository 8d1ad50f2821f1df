"""
Decouple a network
==================

A scikit-learn network with two layers of 20 neurons is trained on a drag force that depends on
speed, wind, angle and temperature. Decoupling shows the law that it learnt. A PyTorch module or an
ONNX file can be used in the same way.
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
# The Jacobians are computed from the weights of the network.

names = ["speed", "wind", "angle", "temperature"]
d = unbraid.decouple(network, X[:500], n_branches="auto", tolerance=1.0, random_state=0)
d = d.named(names, ["drag"])
figure = d.plot()

# %%
# The law in words, and the number of parameters:

print(d.describe().words)
weights = sum(array.size for array in (*network.coefs_, *network.intercepts_))
print(f"{weights} weights, {d.n_parameters} parameters, {d.held_out_error[0]:.2g} % error")
