"""Decoupled functions in other runtimes: one small file a target.

Every export computes what the function itself does, inside and outside the range of the data.

>>> import unbraid
>>> from unbraid.export import to_c
>>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
>>> d = unbraid.decouple(lambda p: p[:, :1] * p[:, 1:], points, n_branches=2,
...                      basis=unbraid.BSpline(8), random_state=0)
>>> source = to_c(d, name="product")
>>> "#include" in source  # a spline needs no library
False
"""

from ._c import to_c
from ._jax import to_jax
from ._latex import to_latex
from ._matlab import to_matlab
from ._onnx import to_onnx
from ._sympy import to_sympy
from ._torch import to_torch

__all__ = ["to_c", "to_jax", "to_latex", "to_matlab", "to_onnx", "to_sympy", "to_torch"]
