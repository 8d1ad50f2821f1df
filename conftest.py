"""Modules that need an extra are left out where it is not installed, their examples with them."""

from importlib.util import find_spec

NEEDS = {
    "torch": ["src/unbraid/export/torch.py", "src/unbraid/export/_torch_module.py"],
    "jax": ["src/unbraid/export/jax.py"],
    "onnx": ["src/unbraid/export/onnx.py"],
    "sympy": ["src/unbraid/export/sympy.py", "src/unbraid/sources/sympy.py"],
    "sklearn": [
        f"src/unbraid/regression/{name}.py"
        for name in ("__init__", "coupled", "growth", "regressor", "rows", "straight")
    ],
}
collect_ignore = [path for extra, paths in NEEDS.items() if not find_spec(extra) for path in paths]
