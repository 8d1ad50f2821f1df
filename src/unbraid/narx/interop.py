"""To and from other libraries of dynamic models."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidOption
from ..sources import PolynomialFunction
from ..tensor import Array
from .model import NARX

SIGNAL = 1000  # SysIdentPy writes a regressor as 1000 * signal + lag; signal 1 is y, 2 is u_1, ...


def from_sysidentpy(model: Any) -> NARX:
    """A fitted polynomial model of SysIdentPy (FROLS and its kin) as a NARX model.

    Its terms become a polynomial of the lagged signals, with exact derivatives: simulation,
    decoupling and refinement work as on any other.
    """
    try:
        codes = np.asarray(model.final_model, dtype=int)
        theta = np.asarray(model.theta, dtype=float).ravel()
    except AttributeError:
        raise InvalidOption(
            f"{type(model).__name__} is not a fitted SysIdentPy model: it needs final_model and "
            f"theta; around a network or an estimator, use NARX(model, input_lags, output_lags)"
        ) from None
    basis = type(getattr(model, "basis_function", None)).__name__
    if basis != "Polynomial":
        raise InvalidOption(f"only SysIdentPy's Polynomial basis can be read, not {basis}")
    codes = codes.reshape(theta.size, -1)
    used = sorted({int(code) for code in codes.ravel() if code})
    outputs = [code for code in used if code // SIGNAL == 1]
    inputs = [code for code in used if code // SIGNAL > 1]
    if any(code // SIGNAL < 1 for code in used):
        raise InvalidOption("the model has terms of the residuals (a NARMAX model): not supported")
    n_inputs = max((code // SIGNAL for code in inputs), default=2) - 1
    input_lags = [
        tuple(code % SIGNAL for code in inputs if code // SIGNAL == k + 2) for k in range(n_inputs)
    ]
    columns = {code: l for l, code in enumerate([*inputs, *outputs])}
    exponents = np.zeros((theta.size, len(columns)), dtype=int)
    for row, term in enumerate(codes):
        for code in term:
            if code:
                exponents[row, columns[int(code)]] += 1
    function = PolynomialFunction(theta[None], exponents)
    return NARX(function, tuple(input_lags), (tuple(code % SIGNAL for code in outputs),))


class Estimator:
    """A static map with ``fit`` and ``predict``, for libraries that want to be given one.

    ``fit`` changes nothing: the map is what it is. ``columns`` reorders the regressors where the
    other library has them in another order.

    >>> import numpy as np
    >>> Estimator(lambda p: p[:, :1] - p[:, 1:], columns=[1, 0]).predict(np.array([[1.0, 3.0]]))
    array([2.])
    """

    def __init__(self, function: Any, columns: Any = None) -> None:
        self.function = function.function if isinstance(function, NARX) else function
        self.columns = columns

    def fit(self, X: Any, y: Any = None, **_: Any) -> Estimator:
        """Return self, unchanged."""
        return self

    def predict(self, X: Any) -> Array:
        """The map at the rows of X; (N,) where it has one output."""
        table = np.asarray(X, dtype=float)
        values = np.asarray(
            self.function(table if self.columns is None else table[:, self.columns])
        )
        return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """As scikit-learn asks for it."""
        return {"function": self.function, "columns": self.columns}

    def set_params(self, **parameters: Any) -> Estimator:
        """As scikit-learn asks for it."""
        for name, value in parameters.items():
            setattr(self, name, value)
        return self
