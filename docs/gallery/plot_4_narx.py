"""
Find the spring in a NARX model
===============================

A mass on a hardening spring, simulated, with noise. A polynomial NARX model with 56 coefficients
predicts it and shows nothing. Decoupled into two branches, one is a straight line and the other is
the spring.
"""

from unbraid.cases import duffing
from unbraid.narx import fit_polynomial_narx

data = duffing(8192, 4096, random_state=0)
reference = fit_polynomial_narx(*data.train, input_lags=(0, 1), output_lags=(1, 2, 3), degree=3)
tuned = reference.decouple(n_branches=2, random_state=0).refine(*data.train)
figure = tuned.plot_branches()

# %%
# Both models run free on a record they have not seen, on their own past outputs:

for name, model in (("coupled", reference), ("decoupled", tuned)):
    score = model.score(*data.test, initial=50)
    print(f"{name:10} {model.n_parameters:3} numbers, error {score.percent:.2f} %")

# %%
# The simulated output, and what is left of the measured one:

simulation = tuned.plot(*data.test, initial=50)
