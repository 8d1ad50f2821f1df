"""The simplex search against SciPy's."""

import numpy as np
import pytest
import scipy

from unbraid._util.nelder_mead import minimise_simplex

FUNCTIONS = {
    "bowl": lambda x: sum((v - 0.3 * k - 0.4) ** 2 for k, v in enumerate(x)),
    "valley": lambda x: (x[0] - 0.7) ** 2 + 30 * (x[-1] - x[0] ** 2) ** 2,
    "waves": lambda x: float(np.cos(5 * x[0]) + 0.1 * x[-1] ** 2 + np.sin(3 * x[-1])),
    "beyond the bounds": lambda x: (x[0] - 9) ** 2 + (x[-1] + 9) ** 2,
    "flat": lambda x: 1.0,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("start", [[0.5], [0.0], [2.0], [0.5, -0.2], [0.0, 1.9], [-1.0, 2.0]])
@pytest.mark.parametrize("most", [7, 200])
def test_takes_the_steps_of_scipy(name, start, most):
    bounds = [(-1.0, 2.0)] * len(start)
    seen, expected = [], []

    def watch(points, x):
        points.append(list(x))
        return FUNCTIONS[name](x)

    options = {"maxiter": most}
    end = scipy.optimize.minimize(
        lambda x: watch(expected, x), start, method="Nelder-Mead", bounds=bounds, options=options
    )
    found = minimise_simplex(lambda x: watch(seen, x), start, bounds, most)
    np.testing.assert_allclose(found, end.x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(seen, expected, rtol=1e-9, atol=1e-9)
