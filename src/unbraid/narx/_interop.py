"""Exchange of models with other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from .._util.validation import finite_array
from ..dynamics._records import check_name_count
from ..errors import InvalidOptionError
from ..sources import PolynomialFunction
from ._model import NARX

MAX_FOREIGN_INPUTS = 1000  # input channels of a model of SysIdentPy
SIGNAL_CODE = 1000  # SysIdentPy's code of a regressor is 1000 * signal + lag; y is 1, u_1 is 2, ...


def from_sysidentpy(
    model: Any,
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
) -> NARX:
    """A fitted polynomial model of SysIdentPy (such as FROLS) as a NARX model.

    Its terms become a polynomial of the lagged signals with exact derivatives. SysIdentPy does not
    store names of signals: give them here, and columns of tables are matched with them.
    """
    codes, theta = _read_terms(model)
    basis = type(getattr(model, "basis_function", None)).__name__
    if basis != "Polynomial":
        raise InvalidOptionError(f"only SysIdentPy's Polynomial basis can be read, not {basis}")
    used = sorted({int(code) for code in codes.ravel() if code})
    if any(code < SIGNAL_CODE for code in used):
        raise InvalidOptionError(
            "the model has terms of the residuals (a NARMAX model): not supported"
        )
    outputs = [code for code in used if code // SIGNAL_CODE == 1]
    inputs = used[len(outputs) :]
    n_inputs = max(used[-1] // SIGNAL_CODE, 2) - 1 if used else 1
    if n_inputs > MAX_FOREIGN_INPUTS:
        raise InvalidOptionError(f"a term refers to input {n_inputs}: final_model is damaged")
    lags = [
        tuple(code % SIGNAL_CODE for code in used if code // SIGNAL_CODE == signal)
        for signal in range(1, n_inputs + 2)
    ]
    columns = {code: l for l, code in enumerate([*inputs, *outputs])}
    exponents = np.zeros((theta.size, len(columns)), dtype=int)
    for row, term in enumerate(codes):
        for code in term[term != 0]:
            exponents[row, columns[int(code)]] += 1
    check_name_count("input_names", input_names, n_inputs)
    check_name_count("output_names", output_names, 1)
    names = {"input_names": input_names, "output_names": output_names}
    function = PolynomialFunction(theta[None], exponents)
    return NARX(function, tuple(lags[1:]), (lags[0],), **names)  # type: ignore[arg-type]


def _read_terms(model: Any) -> tuple[NDArray[np.int64], Array]:
    """Codes (terms, factors) and coefficients (terms,) of a fitted model."""
    try:
        codes = np.asarray(model.final_model, dtype=np.int64)
        theta = np.asarray(model.theta, dtype=float).ravel()
    except (AttributeError, TypeError, ValueError):
        codes, theta = np.empty((0, 0), dtype=np.int64), np.empty(0)
    if codes.ndim != 2 or not len(codes) == theta.size > 0:
        raise InvalidOptionError(
            f"{type(model).__name__} is not a fitted SysIdentPy model: it needs final_model and "
            f"theta, with one row and one number per term; around a network or an estimator, use "
            f"NARX(model, input_lags, output_lags)"
        )
    return codes, theta


class Estimator:
    """A static map with ``fit`` and ``predict``, for libraries that use estimators.

    ``fit`` changes nothing. ``columns`` reorders the regressors if the other library has them in
    another order.

    >>> import numpy as np
    >>> Estimator(lambda p: p[:, :1] - p[:, 1:], columns=[1, 0]).predict(np.array([[1.0, 3.0]]))
    array([2.])
    """

    def __init__(self, function: Any, columns: Any = None) -> None:
        self.function = function.function if isinstance(function, NARX) else function
        self.columns = columns
        if not callable(self.function):
            raise InvalidOptionError(
                f"{function!r} is no static map: pass a callable or a NARX model"
            )

    def fit(self, X: Any, y: Any = None, **_: Any) -> Estimator:
        """Return self, unchanged."""
        return self

    def predict(self, X: Any) -> Array:
        """The map at the rows of X; (N,) if it has one output."""
        table = finite_array("X", X, ndim=2)
        if self.columns is not None:
            columns, n_columns = np.asarray(self.columns), table.shape[1]
            if columns.ndim != 1 or not all(c in range(n_columns) for c in columns.tolist()):
                raise InvalidOptionError(
                    f"columns is {self.columns!r}: pass indices of columns of X, which has "
                    f"{n_columns}"
                )
            table = table[:, columns.astype(int)]
        values = np.asarray(self.function(table))
        return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, as scikit-learn expects them."""
        return {"function": self.function, "columns": self.columns}

    def set_params(self, **parameters: Any) -> Estimator:
        """Set parameters, as scikit-learn expects it."""
        for name, value in parameters.items():
            if name not in self.get_params():
                raise InvalidOptionError(
                    f"Estimator has no parameter {name!r}: function and columns"
                )
            setattr(self, name, value)
        return self
