"""Small records in the layout of public ones, and a stand-in for the package with the files."""

import sys
import types

import numpy as np

from unbraid.cases._silverbox import RECORD_SAMPLES

PARWH_SHAPES = {"train": (60, 2, 3, 5), "test": (60, 2, 1, 5)}


def make_signals(n_samples, seed=0, start=0.0):
    """Input and output of a first-order system with a curved input."""
    u = np.random.default_rng(seed).uniform(-1, 1, n_samples)
    y = np.full(n_samples, start)
    for t in range(n_samples - 1):
        y[t + 1] = 0.7 * y[t] + np.tanh(2 * u[t])
    return u, y


def make_pairs(*suffixes, n_samples):
    """Arrays u and y with each of the suffixes, all different."""
    found = {}
    for seed, suffix in enumerate(suffixes):
        found[f"u{suffix}"], found[f"y{suffix}"] = make_signals(n_samples, seed)
    return found


def make_random_pair(n_samples):
    u, y = np.random.default_rng(0).standard_normal((2, n_samples))
    return {"u": u, "y": y}


def make_parwh():
    rng = np.random.default_rng(0)
    arrays = {f"{x}_{part}": rng.normal(size=s) for part, s in PARWH_SHAPES.items() for x in "uy"}
    return {**arrays, "fs": 78125.0}


def make_arrays(name):
    """The arrays of a made-up record in the layout of a benchmark."""
    makers = {
        "silverbox": lambda: make_random_pair(RECORD_SAMPLES),
        "wiener-hammerstein": lambda: make_random_pair(188_000),
        "cascaded-tanks": lambda: make_pairs("_train", "_test", n_samples=1024),
        "emps": lambda: make_pairs("_train", "_test", n_samples=150),
        "ced": lambda: make_pairs("_low", "_high", n_samples=500),
        "bouc-wen": lambda: {
            **make_pairs("_train", n_samples=2 * 8192),
            **make_pairs("_multisine", n_samples=8192),
            **make_pairs("_sinesweep", n_samples=153_000),
        },
        "parwh": make_parwh,
        "f16": lambda: make_pairs("_train_A_Level1", "_train_B", "_test_A_Level2", n_samples=90),
    }
    return makers[name]()


def use_package(monkeypatch, **functions):
    """Install a module ``nonlinear_benchmarks`` with the given functions; returns their calls."""
    calls = []

    def record(name, answer):
        def call(**options):
            calls.append((name, options))
            sys.stdout.write("downloading\n")
            if isinstance(answer, Exception):
                raise answer
            return answer

        return call

    package = types.ModuleType("nonlinear_benchmarks")
    for name, answer in functions.items():
        setattr(package, name, record(name, answer))
    monkeypatch.setitem(sys.modules, "nonlinear_benchmarks", package)
    return calls
