"""To and from other libraries of dynamic models."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from .._util.validation import finite_array
from ..errors import InvalidOption
from ..sources import PolynomialFunction
from ._model import NARX

MOST_INPUTS = 1000
SIGNAL = 1000  # SysIdentPy writes a regressor as 1000 * signal + lag; signal 1 is y, 2 is u_1, ...


def from_sysidentpy(model: Any) -> NARX:
    """A fitted polynomial model of SysIdentPy (FROLS and its kin) as a NARX model.

    Its terms become a polynomial of the lagged signals, with exact derivatives: simulation,
    decoupling and refinement work as on any other.
    """
    codes, theta = _terms(model)
    basis = type(getattr(model, "basis_function", None)).__name__
    if basis != "Polynomial":
        raise InvalidOption(f"only SysIdentPy's Polynomial basis can be read, not {basis}")
    used = sorted({int(code) for code in codes.ravel() if code})
    outputs = [code for code in used if code // SIGNAL == 1]
    inputs = [code for code in used if code // SIGNAL > 1]
    if any(code // SIGNAL < 1 for code in used):
        raise InvalidOption("the model has terms of the residuals (a NARMAX model): not supported")
    n_inputs = max((code // SIGNAL for code in inputs), default=2) - 1
    if n_inputs > MOST_INPUTS:
        raise InvalidOption(f"a term names input {n_inputs}: final_model is damaged")
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


def _terms(model: Any) -> tuple[NDArray[np.int64], Array]:
    """Codes (terms, factors) and coefficients of a fitted model."""
    try:
        codes = np.asarray(model.final_model, dtype=np.int64)
        theta = np.asarray(model.theta, dtype=float).ravel()
    except (AttributeError, TypeError, ValueError):
        codes, theta = np.empty((0, 0), dtype=np.int64), np.empty(0)
    if codes.ndim != 2 or not len(codes) == theta.size > 0:
        raise InvalidOption(
            f"{type(model).__name__} is not a fitted SysIdentPy model: it needs final_model and "
            f"theta, one row and one number a term; around a network or an estimator, use "
            f"NARX(model, input_lags, output_lags)"
        )
    return codes, theta


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
        if not callable(self.function):
            raise InvalidOption(f"{function!r} is no static map: pass a callable or a NARX model")

    def fit(self, X: Any, y: Any = None, **_: Any) -> Estimator:
        """Return self, unchanged."""
        return self

    def predict(self, X: Any) -> Array:
        """The map at the rows of X; (N,) where it has one output."""
        table = finite_array("X", X, ndim=2)
        values = np.asarray(self.function(self._ordered(table)))
        return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values

    def _ordered(self, table: Array) -> Array:
        if self.columns is None:
            return table
        columns = np.asarray(self.columns)
        allowed = range(table.shape[1])
        if columns.ndim != 1 or not all(column in allowed for column in columns.tolist()):
            raise InvalidOption(
                f"columns is {self.columns!r}: pass places of columns of X, which has "
                f"{table.shape[1]}"
            )
        return table[:, columns.astype(int)]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """As scikit-learn asks for it."""
        return {"function": self.function, "columns": self.columns}

    def set_params(self, **parameters: Any) -> Estimator:
        """As scikit-learn asks for it."""
        for name, value in parameters.items():
            if name not in self.get_params():
                raise InvalidOption(f"Estimator has no parameter {name!r}: function and columns")
            setattr(self, name, value)
        return self
