"""Translate a decoupled function for another runtime: one module per target.

Every export computes what the function itself does, inside and outside the range of the data.
"""

from ._c import to_c
from ._jax import to_jax
from ._latex import to_latex
from ._matlab import to_matlab
from ._onnx import to_onnx
from ._sympy import to_sympy
from ._torch import to_torch

__all__ = ["to_c", "to_jax", "to_latex", "to_matlab", "to_onnx", "to_sympy", "to_torch"]
