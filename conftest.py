"""Doctests of modules whose extra is missing are left out; skips are summed up."""

from collections import Counter
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
    "joblib": ["src/unbraid/scans/_scan.py"],
    "sklearn": [
        f"src/unbraid/regression/{name}.py"
        for name in ("__init__", "coupled", "growth", "regressor", "rows", "straight")
    ],
}
MISSING = [extra for extra in NEEDS if not find_spec(extra)]
collect_ignore = [path for extra in MISSING for path in NEEDS[extra]]


def pytest_terminal_summary(terminalreporter):
    """How many tests were skipped for each reason."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")
    if MISSING:
        terminalreporter.write_line(f"not installed, so its doctests are left out: {MISSING}")
