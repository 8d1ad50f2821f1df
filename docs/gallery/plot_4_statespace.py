"""
Identify a state-space model
============================

The data are a noisy simulation of a mass on a hardening spring: the force and the position. A
state-space model with two states is a linear oscillator plus the curve of the spring.
"""

from unbraid import Polynomial
from unbraid.cases import duffing
from unbraid.statespace import fit_linear, identify

data = duffing(4096, 2048, random_state=0)
options = {"sampling_time": data.sampling_time}
linear = fit_linear(*data.train, n_states=2, **options)
model = identify(*data.train, 2, 1, Polynomial(3), n_starts=2, random_state=0, **options)
figure = model.plot_branches()

# %%
# In words: poles, the resonance, the shape of the curve.

print(model.describe())

# %%
# The linear part: frequency response, poles and zeros.

response = model.plot_linear()

# %%
# Errors of the free-run simulation on a test record:

for name, candidate in (("linear", linear), ("with a curve", model)):
    error = candidate.score(*data.test).percent
    print(f"{name:13} {candidate.degrees_of_freedom:3} degrees of freedom, error {error:.2f} %")

# %%
# The simulated output and the residual:

simulation = model.plot(*data.test)

# %%
# The singular values of the impulse response: two states stand out.

order = linear.plot_singular_values()
