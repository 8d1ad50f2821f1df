"""Translate functions and dynamic models for other runtimes.

Every export computes what the function itself does, inside and outside the range of the data. A
dynamic model runs sample by sample and computes what its simulation does.
"""

from ._c import to_c, to_c_header
from ._jax import to_jax
from ._latex import to_latex
from ._matlab import to_matlab, to_simulink
from ._onnx import to_onnx
from ._python import to_python
from ._step_model import StepModel
from ._sympy import to_sympy
from ._torch import to_torch

__all__ = [
    "StepModel",
    "to_c",
    "to_c_header",
    "to_jax",
    "to_latex",
    "to_matlab",
    "to_onnx",
    "to_python",
    "to_simulink",
    "to_sympy",
    "to_torch",
]
