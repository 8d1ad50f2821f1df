"""Bad command lines: exit code 2, a line or two that say why, and no traceback."""

from __future__ import annotations

import atexit
import io
import json
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


def refuses(said: Said, mentions: str) -> bool:
    """Code 2, one reason of ours, nothing of Python's, and no half a document."""
    clean = said.code == 2 and said.err.count("unbraid: ") >= 1 and "Traceback" not in said.err
    if said.out.startswith("{"):
        json.loads(said.out)
    return clean and all(word in said.err for word in mentions.split())


def bad(line: str, mentions: str, *more: str) -> Row:
    name = " ".join([line, *(repr(word) for word in more)])
    return Row(f"$ {name}", lambda: ran(line, *more), holds=lambda said: refuses(said, mentions))


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
NO_MODELS = "missing.json", "@folder.json", "@empty.json", "@empty.db", "@record.csv", "@bytes.csv"
OF_FILES = [
    *(
        bad(f"{command} {name}", name.strip("@"))
        for command in ("show", "report", "export --to c")
        for name in NO_MODELS
    ),
    bad("show", "cannot read", "\udcff.json"),
    bad("show", "Missing FILE"),
    bad("decouple missing.onnx --box 0:1", "missing.onnx"),
    bad("decouple @folder.onnx --box 0:1", "read folder.onnx"),
    bad("decouple @empty.onnx --box 0:1", "ONNX"),
    bad("decouple @empty.csv --json", "empty.csv"),
    bad("decouple @empty.npz --json", "archive"),
    bad("decouple @empty.mat --json", "MATLAB"),
    bad("decouple @folder.csv --json", "directory"),
    bad("decouple @latin.csv", "UTF-8"),
    bad("decouple @bytes.csv", "UTF-8"),
    bad("decouple @words.csv --target a --json", "words.csv numbers"),
    bad("decouple @ragged.csv --json", "ragged.csv line"),
    bad("decouple table.xlsx", "table.xlsx .csv"),
    bad("decouple good.json --box 0:1", "MODEL good.json"),
]
OF_MODELS = [
    bad("decouple bad_model --box 0:1", "MODEL module:function"),
    bad("decouple bad_model:nothing --box 0:1", "nothing loud"),
    bad("decouple no_module:f --box 0:1", "no_module"),
    bad("decouple no_syntax:f --box 0:1", "SyntaxError"),
    bad("decouple leaving:f --box 0:1", "SystemExit"),
    bad("decouple bad_model:leaving --box 0:1,0:1", "SystemExit"),
    bad("decouple bad_model:number --box 0:1,0:1", "int callable"),
    bad("decouple bad_model:broken --box 0:1,0:1 --json", "RuntimeError order"),
    bad("decouple bad_model:lost --box 0:1,0:1 --json", "finite"),
    bad("decouple bad_model:f", "--box --points"),
    bad("decouple bad_model:f --points missing.csv", "missing.csv"),
    bad("decouple bad_model:f --points @words.csv", "words.csv column"),
    bad("decouple bad_model:f --points @holes.csv", "holes.csv line"),
    bad("decouple bad_model:f --points @record.csv --box 0:1", "--points --box"),
    *(
        bad(f"decouple bad_model:f --box {box}", "value --box")
        for box in ("1:-1", "a:b", "nan:1", "1:1", "-inf:inf", "1")
    ),
    bad("decouple bad_model:f --box", "--box empty", ""),
]
OF_OPTIONS = [
    bad(f"{F} -r 0", "--branches '0'"),
    bad(f"{F} -r many", "--branches many"),
    bad(f"{F} --basis poly:0", "--basis degree"),
    bad(f"{F} --basis poly:²", "--basis poly:²"),
    bad(f"{F} --method magic", "--method magic"),
    bad(f"{F} --seed -1", "--seed -1"),
    bad(f"{F} --held-out nan", "--held-out nan"),
    bad(f"{F} -r 2 --tolerance 1", "--tolerance auto"),
    bad(f"{F} --names a", "names ['a']"),
    bad(f"{F} -o o.txt", "o.txt .json"),
    bad(f"{F} -o no/o.json", "no/o.json folder"),
    bad(f"{F} -o", "empty name", ""),
    bad(f"{F} --plot o.exe", "o.exe .png"),
    bad(f"{F} --target a", "--target table"),
    bad(f"{F} --speed 3", "--speed"),
    bad("decouple @record.csv --target nothing", "column nothing"),
    bad("decouple @record.csv --target y --method cpd", "--method Jacobians"),
    bad(f"{N} --degree 99", "terms degree"),
    bad(f"{N} --output-lags 0", "output_lags"),
    bad(f"{N} --ridge nan", "ridge nan"),
    bad(f"{N} --test-share nan", "--test-share nan"),
    bad(f"{N} --test @record.csv --test-share .1", "--test-share keep"),
    bad(f"{N} --u nothing", "column nothing"),
    bad("narx @holes.csv --json", "holes.csv line"),
    bad(f"{S} -r 3:1", "--branches 3:1"),
    bad(f"{S} -r 1:999999999", "--branches 1:999999999"),
    bad(f"{S} -j 0", "-j 0"),
    bad(f"{S} --seeds -1", "random_state -1"),
    bad(f"{S} --smoothness 1", "--smoothness explicit"),
    bad(f"{S} --store @folder.db", "write folder.db"),
    bad(f"{S} --basis poly:2", "--degree --basis"),
    bad("scan @record.csv -r 1", "record.csv Jacobians"),
    bad(f"{E} fortran", "fortran"),
    bad(f"{E} torch", "to_torch"),
    bad(f"{E} onnx", "FILE.onnx"),
    bad(f"{E} c --name", "function system", 'x);system("rm")'),
    bad(f"{E} sympy --names", "--names SymPy", "x); system(),y"),
    bad(f"{E} sympy --digits 999999999", "digits 999999999"),
    bad(f"{E} c --digits 3", "--digits"),
    bad(f"{E} c -o no/x.c", "no/x.c folder"),
    bad("show @good.json --row 0", "--row"),
    bad("report @good.json -o page.txt", "page.txt .html"),
    bad("report @good.json --target y", "--target --data"),
    bad("report @good.json --data missing.csv", "missing.csv"),
    bad("reproduce table9", "table9"),
    bad("demo --out @record.csv", "folder record.csv"),
    bad("dance", "dance"),
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
        lambda said: refuses(said, "read -:"),
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
