"""Modules that need an extra are left out where it is not installed, their examples with them."""

from importlib.util import find_spec
from pathlib import Path

COMMANDS = [
    str(path)
    for path in Path("src/unbraid/cli").glob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
]
NEEDS = {
    "torch": ["src/unbraid/export/torch.py", "src/unbraid/export/_torch_module.py"],
    "jax": ["src/unbraid/export/jax.py"],
    "onnx": ["src/unbraid/export/onnx.py"],
    "sympy": ["src/unbraid/export/sympy.py", "src/unbraid/sources/sympy.py"],
    "click": COMMANDS,
    "rich": COMMANDS,
    "joblib": ["src/unbraid/scans/front.py"],
    "sklearn": [
        f"src/unbraid/regression/{name}.py"
        for name in ("__init__", "coupled", "growth", "regressor", "rows", "straight")
    ],
}
collect_ignore = [path for extra, paths in NEEDS.items() if not find_spec(extra) for path in paths]
