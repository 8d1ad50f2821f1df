"""Doctests of modules whose extra is missing are left out; skips are summed up."""

import os
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # it compiles, then runs once
SOURCE = Path(__file__).parent / "src" / "unbraid"


def modules_of(package: str) -> list[str]:
    return [str(path) for path in (SOURCE / package).glob("*.py") if path.name != "__main__.py"]


NEEDS = {
    "torch": ["export/_torch.py", "export/_torch_module.py"],
    "jax": ["export/_jax.py"],
    "onnx": ["export/_onnx.py"],
    "sympy": ["export/_sympy.py", "sources/_sympy.py"],
    "joblib": ["scans/_scan.py"],
    "pandas": ["_util/tables.py"],
}
NEEDS = {extra: [str(SOURCE / name) for name in names] for extra, names in NEEDS.items()}
NEEDS |= {
    "click": modules_of("cli"),
    "rich": modules_of("cli"),
    "sklearn": modules_of("regression"),
}
assert all(Path(name).exists() for names in NEEDS.values() for name in names)
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
