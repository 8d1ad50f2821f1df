"""
Decouple a NARX model
=====================

The data are a noisy simulation of a mass on a hardening spring. A polynomial NARX model with 56
coefficients predicts it but is hard to interpret. Decoupled, it is a linear model and the curve of
the spring.
"""

from unbraid.cases import duffing
from unbraid.narx import fit_polynomial_narx

data = duffing(8192, 4096, random_state=0)
reference = fit_polynomial_narx(*data.train, input_lags=(0, 1), output_lags=(1, 2, 3), degree=3)
tuned = reference.decouple(n_branches=2, random_state=0).refine(*data.train)
figure = tuned.plot_terms()

# %%
# In words: the linear model, and what is curved. The spring acts on the last position.

print(tuned.describe())

# %%
# Errors of the free-run simulation of both models on a test record:

for name, model in (("coupled", reference), ("decoupled", tuned)):
    score = model.score(*data.test, initial=50)
    print(f"{name:10} {model.n_parameters:3} parameters, error {score.percent:.2f} %")

# %%
# The simulated output and the residual:

simulation = tuned.plot(*data.test, initial=50)
