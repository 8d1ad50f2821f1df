"""From a model or a file to ``Samples``: one module per kind of model."""

from ._dispatch import as_function
from ._files import read_samples
from ._hermite import HermitePolynomial
from ._parameter_count import parameter_count
from ._polynomial import PolynomialFunction, monomial_exponents
from ._sample import sample

__all__ = [
    "HermitePolynomial",
    "PolynomialFunction",
    "as_function",
    "monomial_exponents",
    "parameter_count",
    "read_samples",
    "sample",
]
