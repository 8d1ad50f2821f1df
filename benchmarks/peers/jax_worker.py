"""Runs in an environment of its own, with PyPI ``decoupling`` and JAX: see jax_decoupling."""

import sys
import time
import warnings

import jax
import numpy as np
from decoupling import Algorithm

from benchmarks.memory import peak, reset

ITERATIONS = 100


def main() -> None:
    """One task a line of input, as two files: what is given, and what was found."""
    warnings.simplefilter("ignore")
    jax.config.update("jax_enable_x64", True)
    idle = reset()
    for count, line in enumerate(sys.stdin):
        try:
            solve(*line.split(), idle, warm=count > 0)
            print("done", flush=True)
        except Exception as error:  # one start may fail, the next need not
            print(f"{type(error).__name__}: {error}".splitlines()[0], flush=True)


def solve(source: str, target: str, idle: float, warm: bool) -> None:
    task = np.load(source)
    information = [jax.numpy.asarray(task[name]) for name in ("points", "values", "jacobians")]
    information[2] = information[2].transpose(1, 2, 0)
    rank, seed = int(task["n_branches"]), int(task["seed"])

    def start(niters: int) -> Algorithm:
        return Algorithm(rank, jax.random.key(seed), niters=niters, show_progress=False)

    if not warm:
        start(2).run(*information)  # compiles
    began = time.perf_counter()
    found = start(ITERATIONS).run(*information)
    seconds = time.perf_counter() - began
    predict = jax.jit(jax.vmap(found))
    np.savez(
        target,
        fitted=predict(information[0]),
        fresh=predict(jax.numpy.asarray(task["fresh"])),
        seconds=seconds,
        peak=peak() - idle,
        numbers=found.W.size + found.V.size + found.coefs.size + found.knots.size,
    )


if __name__ == "__main__":
    main()
