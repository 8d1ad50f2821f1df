"""Small files that would take all memory or time, crash a reader, or have it run their code."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np

from effort import examples

ONES = np.ones(2).tobytes()
VAST = 90_000_000  # bytes that compress to 90 kB


class Payload:
    """Unpickled, it makes a folder that tells."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def npy(shape: str, kind: str = "'<f8'", data: bytes = b"", header: str | None = None) -> bytes:
    """An .npy file that may claim anything."""
    text = header or f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}"
    padded = text.encode() + b" " * (63 - (10 + len(text)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded + data


def zipped(method: int = zipfile.ZIP_DEFLATED, **members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def three(array: bytes) -> bytes:
    """An archive in which points, values and Jacobians are all this array."""
    return zipped(P=array, F=array, J=array)


def archives(mark: Path) -> dict[str, bytes]:
    third = VAST // 3
    pickled = pickle.dumps(Payload(mark))
    return {
        "bomb": three(npy(f"({third}, 1)", "'|i1'", bytes(third))),
        "vast shape": three(npy("(1000000000000, 1)")),
        "large shape": three(npy("(200000000, 1)")),
        "shape beyond 64 bits": three(npy("(4294967296, 4294967296, 16)")),
        "negative shape": three(npy("(-1, 1)")),
        "items of no size": three(npy("(1000000000000, 1)", "'|S0'")),
        "header that calls": three(npy("", header=f"__import__('os').mkdir({str(mark)!r})")),
        "deep header": three(npy("", header="(" * 9000)),
        "objects": three(npy("(1,)", "'|O'", pickled)),
        "a pickle": pickled,
        "one array": npy("(2, 1)", data=ONES),
        "dates": three(npy("(2, 1)", "'<M8[s]'", ONES)),
        "records": three(npy("(2,)", "[('a', '<f8')]", ONES)),
        "longer than its array": three(npy("(1, 1)", data=ONES)),
        "no arrays": zipped(P=b"text", F=b"", J=b"x"),
    }


def with_archive(path: Path, archive: bytes, tree: dict) -> None:
    """A saved function whose W is in an archive, which has the right checksum."""
    path.with_suffix(".npz").write_bytes(archive)
    seal = hashlib.sha256(archive).hexdigest()
    arrays = {"file": path.with_suffix(".npz").name, "sha256": seal}
    path.write_text(json.dumps({**tree, "W": {"npz": "P"}, "arrays": arrays}))


def element(kind: int, content: bytes) -> bytes:
    return struct.pack("<II", kind, len(content)) + content + b"\0" * (-len(content) % 8)


def variable(name: bytes, shape: tuple[int, ...], data: bytes, stored: int = 9, kind: int = 6):
    """A variable of a .mat file that may claim anything."""
    head = element(6, struct.pack("<II", kind, 0)) + element(
        5, struct.pack(f"<{len(shape)}i", *shape)
    )
    return element(14, head + element(1, name) + element(stored, data))


def nested_cells(depth: int) -> bytes:
    """A cell in a cell in a cell ..."""
    core = variable(b"", (1, 1), ONES[:8])
    head = (
        element(6, struct.pack("<II", 1, 0))
        + element(5, struct.pack("<ii", 1, 1))
        + element(1, b"")
    )
    size, heads = len(core), []
    for _ in range(depth):
        size += len(head)
        heads.append(struct.pack("<II", 14, size) + head)
        size += 8
    return b"".join(reversed(heads)) + core


def squeezed(variable: bytes) -> bytes:
    packed = zlib.compress(variable, 9)
    return struct.pack("<II", 15, len(packed)) + packed


def matlab(*variables: bytes) -> bytes:
    return (
        b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x100) + b"IM" + b"".join(variables)
    )


def old(name: bytes, rows: int, columns: int, data: bytes, code: int = 0) -> bytes:
    """A variable of a .mat file of version 4."""
    return struct.pack("<5i", code, rows, columns, 0, len(name) + 1) + name + b"\0" + data


GOOD = [variable(name, (2, 1), ONES) for name in (b"P", b"F", b"J")]


def mats() -> dict[str, bytes]:
    third = VAST // 3
    flat = [squeezed(variable(n, (third, 1), bytes(third), 1)) for n in (b"P", b"F", b"J")]
    return {
        "bomb": matlab(*flat),
        "bomb beside": matlab(squeezed(variable(b"z", (VAST, 1), bytes(VAST), 1)), *GOOD),
        "vast": matlab(variable(b"P", (2**31 - 1, 2**31 - 1), b""), *GOOD[1:]),
        "large": matlab(variable(b"P", (10**8, 1), b""), *GOOD[1:]),
        "negative": matlab(variable(b"P", (-1, 1), b""), *GOOD[1:]),
        "twice": matlab(*GOOD, GOOD[0]),
        "vast cells": matlab(variable(b"c", (10**8, 1), b"", kind=1), *GOOD),
        "deep cells": matlab(squeezed(nested_cells(100_000)), *GOOD),
        "old, vast": old(b"P", 2**31 - 1, 2**31 - 1, b""),
        "old, negative": old(b"P", -5, -1, b""),
        "old, long name": struct.pack("<5i", 0, 1, 1, 0, 2**31 - 1) + b"P\0" + ONES,
        "old, sparse": old(b"P", 3, 3, np.full(9, 2.0**40).tobytes(), 2),
    }


def tables() -> dict[str, str]:
    row = "1,2,3\n"
    wide, squares = 8000, 100
    pairs = [f"J{i}_{j}" for i in range(1, squares + 1) for j in range(1, squares + 1)]
    names = [f"{c}{k}" for c in "pf" for k in range(1, squares + 1)] + pairs
    many = [f"p{k}" for k in range(wide)] + [f"f{k}" for k in range(wide)] + ["J11"]
    count = examples(100_000)  # a million in a soak
    points = ",".join(f"p{k}" for k in range(count))
    return {
        "very many columns": points + "\n" + "1," * (count - 1) + "1\n",
        "vast Jacobian": ",".join(many) + "\n" + ",".join(["1"] * len(many)) + "\n",
        "many columns": ",".join(names) + "\n" + (",".join(["1"] * len(names)) + "\n") * 2,
        "open quote": 'p1,f1,J11\n1,2,"3\n' + row * 20_000,
        "open quote above": '"p1,f1,J11\n' + row * 20_000,
        "long cell": "p1,f1,J11\n1,2," + "9" * 200_000 + "\n",
        "long name": "p" + "1" * 200_000 + ",f1,J11\n" + row,
        "long number in a name": "p" + "1" * 5000 + ",f1,J11\n" + row,
        "long number in a pair": "p1,f1,J" + "1" * 5000 + "_1\n" + row,
        "empty lines": "\n" * 100_000 + "p1,f1,J11\n" + row,
        "remarks": "#\n" * 50_000,
        "commas": ",,,,\n,,,,\n",
        "one name": ",".join(["p1"] * 20_000 + ["f1", "J11"]) + "\n" + "1," * 20_001 + "1\n",
        "infinite": "p1,f1,J11\n1e999,2,3\n",
        "separators": "p1,f1,J11\n1,2,3\n\x1c\n\x0b,\x0c\n" + row,
    }


def trees(tree: dict) -> dict[str, str]:
    """Saved functions that make no sense, without a checksum that would tell."""

    def branch(**changes) -> str:
        return json.dumps({**tree, "branches": [changes, *tree["branches"][1:]]})

    first = tree["branches"][0]
    spline = {
        "kind": "BSpline",
        "n_coefficients": 301,
        "degree": 300,
        "knots": [0] * 301 + [1] * 301,
    }
    waves = {"kind": "Fourier", "n_harmonics": 10**12, "low": 0, "high": 1}
    plain = {"extrapolate": "linear", "estimate": None}
    return {
        "deep": "[" * 100_000,
        "deep objects": '{"a":' * 100_000,
        "rather deep": json.dumps(tree)[:-1] + ', "x": ' + "[" * 900 + "]" * 900 + "}",
        "long version": json.dumps({**tree, "version": "x" * 10**6}),
        "long names": json.dumps({**tree, "input_names": ["x" * 10**6] * 2}),
        "vast whole numbers": json.dumps({**tree, "offset": [10**400] * 2}),
        "factorials": branch(**plain, basis=spline, coefficients=[1] * 300),
        "harmonics": branch(**plain, basis=waves, coefficients=[1]),
        "wide": branch(**{**first, "basis": {**first["basis"], "low": -1e308, "high": 1e308}}),
        "thin": branch(**{**first, "basis": {**first["basis"], "low": 0, "high": 5e-324}}),
        "margin": branch(**{**first, "margin": 1e308}),
        "large W": json.dumps({**tree, "W": [[1e308] * 3] * 2}),
        "large V": json.dumps({**tree, "V": [[1e308] * 3] * 2}),
        "wrong errors": json.dumps({**tree, "fitted_error": [1.0] * 7}),
        "negative errors": json.dumps({**tree, "fitted_error": [-1.0] * 2}),
    }
