"""Runs files of the page's script: in Node where it is installed, or in Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

import numpy as np

from unbraid.reports._script import read_script


def run_in_node(names: Sequence[str], body: str, argument: Any) -> Any:
    """What ``body`` returns for ``data``, after these files of the page."""
    source = _join(names)
    program = f"const data = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n{source}\n"
    program += f"console.log(JSON.stringify((() => {{ {body} }})()));"
    command = [str(shutil.which("node")), "-e", program]
    text = json.dumps(argument, default=np.ndarray.tolist)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run_in_chromium(driver: Any, names: Sequence[str], body: str, argument: Any) -> Any:
    """The same on an empty page of a browser."""
    driver.get("about:blank")
    text = json.dumps(argument, default=np.ndarray.tolist)
    program = f"const data = JSON.parse(arguments[0]);\n{_join(names)}\n{body}"
    return driver.execute_script(program, text)


def _join(names: Sequence[str]) -> str:
    return "\n".join(map(read_script, names))
