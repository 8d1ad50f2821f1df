"""Bad command lines: exit code 2, a line or two that say why, and no traceback."""

from __future__ import annotations

import atexit
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NamedTuple

import numpy as np
import pytest

import unbraid
from hardening.rows import Row

MODEL = """import numpy as np
def f(p):
    return p[:, :1] * p[:, 1:]
def loud(p):
    print("hello")
    return p[:, :1]
def broken(p):
    raise RuntimeError("out of order")
def lost(p):
    return np.nan * p[:, :1]
def leaving(p):
    raise SystemExit(0)
number = 3
"""
FILES = {
    "bad_model.py": MODEL.encode(),
    "no_syntax.py": b"def f(:",
    "leaving.py": b"raise SystemExit(0)",
    "empty": b"",
    "words.csv": b"a,b\nx,y\nz,w\n",
    "holes.csv": b"u,y\n1,2\n,3\n4,nan\n",
    "ragged.csv": b"x1,y\n1,2\n3\n4,5,6\n",
    "latin.csv": "x1,é\n1,2\n".encode("latin-1"),
    "bytes.csv": bytes(range(256)) * 10,
}


class Said(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@cache
def made() -> Path:
    """A folder with good and bad files, made once."""
    folder = Path(mkdtemp(prefix="unbraid-commands-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    for ending in ("csv", "npz", "mat", "onnx", "json", "db"):
        (folder / f"empty.{ending}").touch()
        (folder / f"folder.{ending}").mkdir()
    u = np.random.default_rng(0).uniform(-1, 1, 60)
    table = np.c_[u, np.convolve(u, [1, 0.5])[:60]]
    np.savetxt(folder / "record.csv", table, delimiter=",", header="u,y", comments="")
    points = unbraid.sampling.uniform(40, [-1, -1], [1, 1], random_state=0)
    product = unbraid.PolynomialFunction([[1.0]], [[1, 1]])
    square = unbraid.Polynomial(2)
    unbraid.decouple(product, points, 2, basis=square, random_state=0).save(folder / "good.json")
    return folder


def ran(line: str, *more: str) -> Said:
    """A command, in the folder of files; what is written goes to the folder of the test."""
    pytest.importorskip("click", reason="the command line needs click")
    pytest.importorskip("rich", reason="the command line needs rich")
    from unbraid.cli import main

    out, err = io.StringIO(), io.StringIO()
    arguments = [word.replace("@", f"{made()}/") for word in line.split()]
    before = list(sys.path)
    sys.path.insert(0, str(made()))
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*arguments, *more])
    finally:
        sys.path[:] = before
    return Said(code, out.getvalue(), err.getvalue())


def refuses(said: Said, why: str) -> bool:
    """Code 2, one reason of ours, nothing of Python's, and no half a document."""
    clean = said.code == 2 and said.err.count("unbraid: ") >= 1 and "Traceback" not in said.err
    if said.out.startswith("{"):
        json.loads(said.out)
    return clean and re.search(why, said.err, re.DOTALL) is not None


def bad(line: str, why: str, *more: str) -> Row:
    name = " ".join([line, *(repr(word) for word in more)])
    return Row(f"$ {name}", lambda: ran(line, *more), holds=lambda said: refuses(said, why))


def piped(script: str) -> Said:
    """A real process, in a shell."""
    pytest.importorskip("click", reason="the command line needs click")
    command = f"{sys.executable} -m unbraid.cli"
    done = subprocess.run(
        ["bash", "-c", script.replace("unbraid", command).replace("@", f"{made()}/")],
        capture_output=True,
        check=False,
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))


def shell(name: str, script: str, holds: Callable[[Said], bool]) -> Row:
    return Row(f"$ {name}", lambda: piped(script), holds=holds)


def printed(said: Said) -> Any:
    return json.loads(said.out)


F = "decouple bad_model:f --box -1:1,-1:1"
N = "narx @record.csv -o o.json"
S = "scan bad_model:f --box -1:1,-1:1 --degree 2"
E = "export @good.json --to"
OF_FILES = [
    *(
        bad(f"{command} {name}", why)
        for command in ("show", "report", "export --to c")
        for name, why in (
            ("missing.json", "cannot read missing.json"),
            ("@folder.json", "Is a directory"),
            ("@empty.json", "this command takes"),
            ("@empty.db", "this command takes"),
            ("@record.csv", "this command takes"),
            ("@bytes.csv", "this command takes"),
        )
    ),
    bad("show", "cannot read", "\udcff.json"),
    bad("show", "Missing argument"),
    bad("decouple missing.onnx --box 0:1", "no such file"),
    bad("decouple @folder.onnx --box 0:1", "cannot read"),
    bad("decouple @empty.onnx --box 0:1", "not an ONNX model"),
    bad("decouple @empty.csv --json", "is empty"),
    bad("decouple @empty.npz --json", "not an .npz archive"),
    bad("decouple @empty.mat --json", "not a MATLAB file"),
    bad("decouple @folder.csv --json", "Is a directory"),
    bad("decouple @latin.csv", "UTF-8"),
    bad("decouple @bytes.csv", "not a text file|UTF-8"),
    bad("decouple @words.csv --target a --json", "number"),
    bad("decouple @ragged.csv --json", "ragged.csv"),
    bad("decouple table.xlsx", "save the table as .csv"),
    bad("decouple good.json --box 0:1", "MODEL is"),
]
OF_MODELS = [
    bad("decouple bad_model --box 0:1", "module:function"),
    bad("decouple bad_model:nothing --box 0:1", "it has np, f"),
    bad("decouple no_module:f --box 0:1", "no module 'no_module'"),
    bad("decouple no_syntax:f --box 0:1", "SyntaxError"),
    bad("decouple leaving:f --box 0:1", "SystemExit"),
    bad("decouple bad_model:leaving --box 0:1,0:1", "SystemExit"),
    bad("decouple bad_model:number --box 0:1,0:1", "pass a callable"),
    bad("decouple bad_model:broken --box 0:1,0:1 --json", "out of order"),
    bad("decouple bad_model:lost --box 0:1,0:1 --json", "not finite"),
    bad("decouple bad_model:f", "--box LOW:HIGH draws"),
    bad("decouple bad_model:f --points missing.csv", "cannot read"),
    bad("decouple bad_model:f --points @words.csv", "no column of numbers"),
    bad("decouple bad_model:f --points @holes.csv", "holes.csv"),
    bad("decouple bad_model:f --points @record.csv --box 0:1", "keep one"),
    *(
        bad(f"decouple bad_model:f --box {box}", "LOW:HIGH|finite number|not a number")
        for box in ("1:-1", "a:b", "nan:1", "1:1", "-inf:inf", "1")
    ),
    bad("decouple bad_model:f --box", "empty name", ""),
]
OF_OPTIONS = [
    bad(f"{F} -r 0", "1 or more"),
    bad(f"{F} -r many", "whole numbers"),
    bad(f"{F} --basis poly:0", "at least 1|degree"),
    bad(f"{F} --basis poly:²", "is no basis"),
    bad(f"{F} --method magic", "choose from"),
    bad(f"{F} --seed -1", "seed"),
    bad(f"{F} --held-out nan", "is no share"),
    bad(f"{F} -r 2 --tolerance 1", "needs -r auto"),
    bad(f"{F} --names a", "2 different names"),
    bad(f"{F} -o o.txt", "must end in .json"),
    bad(f"{F} -o no/o.json", "there is no folder"),
    bad(f"{F} -o", "empty name", ""),
    bad(f"{F} --plot o.exe", "must end in .png"),
    bad(f"{F} --target a", "names columns of a table"),
    bad(f"{F} --speed 3", "No such option"),
    bad("decouple @record.csv --target nothing", "no column 'nothing'; it has u, y"),
    bad("decouple @record.csv --target y --method cpd", "needs Jacobians"),
    bad(f"{N} --degree 99", "lower degree"),
    bad(f"{N} --output-lags 0", "starts at 1"),
    bad(f"{N} --ridge nan", "ridge"),
    bad(f"{N} --test-share nan", "is no share"),
    bad(f"{N} --test @record.csv --test-share .1", "keep one"),
    bad(f"{N} --u nothing", "no column 'nothing'"),
    bad("narx @holes.csv --json", "holes.csv"),
    bad(f"{S} -r 3:1", "is no range"),
    bad(f"{S} -r 1:999999999", "is no range"),
    bad(f"{S} -j 0", "how many processes"),
    bad(f"{S} --seeds -1", "random_state must be"),
    bad(f"{S} --smoothness 1", "add --method explicit"),
    bad(f"{S} --store @folder.db", "folder"),
    bad(f"{S} --basis poly:2", "keep one of the two"),
    bad("scan @record.csv -r 1", "record.csv"),
    bad(f"{E} fortran", "choose from"),
    bad(f"{E} torch", "unbraid.export.to_torch"),
    bad(f"{E} onnx", "-o FILE.onnx"),
    bad(f"{E} c --name", "cannot name a function in C", 'x);system("rm")'),
    bad(f"{E} sympy --names", "--names, in letters", "x); system(),y"),
    bad(f"{E} sympy --digits 999999999", "at most 100"),
    bad(f"{E} c --digits 3", "has no meaning for c"),
    bad(f"{E} c -o no/x.c", "there is no folder"),
    bad("show @good.json --row 0", "--row is for the store"),
    bad("report @good.json -o page.txt", "must end in .html"),
    bad("report @good.json --target y", "which is missing"),
    bad("report @good.json --data missing.csv", "cannot read"),
    bad("reproduce table9", "table9"),
    bad("demo --out @record.csv", "cannot make the folder"),
    bad("dance", "No such command"),
]
IN_A_SHELL = [
    shell(
        "unbraid show FILE | head -1",
        "unbraid show @good.json | head -1; exit ${PIPESTATUS[0]}",
        lambda said: (
            said.code in (0, 141) and "Traceback" not in said.err and "Error" not in said.err
        ),
    ),
    shell(
        "unbraid show FILE >&-",
        "unbraid show @good.json >&-",
        lambda said: said.code in (0, 2, 141) and "Traceback" not in said.err,
    ),
    shell(
        "unbraid show - < FILE",
        "unbraid show - < @good.json",
        lambda said: refuses(said, "cannot read -"),
    ),
    shell(
        "unbraid show of a name that is no UTF-8",
        "unbraid show $'\\xff.json'",
        lambda said: refuses(said, "cannot read"),
    ),
]
ROWS = [
    *OF_FILES,
    *OF_MODELS,
    *OF_OPTIONS,
    *IN_A_SHELL,
    Row(
        "$ decouple a model that prints, --json",
        lambda: ran("decouple bad_model:loud --box -1:1,-1:1 -r 1 --basis poly:1 -o o.json --json"),
        holds=lambda said: said.code == 0 and printed(said)["n_branches"] == 1,
    ),
]
