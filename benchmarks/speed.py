"""Values at many points: a decoupled function, its exports, and the torch network it came from."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import unbraid
from unbraid import BSpline, export
from unbraid.cases._network import LogisticNetwork, random_network

N = 100_000
REPEATS = 30


def shortest(work: Callable[[object], object], argument: object) -> float:
    """Of several runs, in milliseconds."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work(argument)
        times.append(time.perf_counter() - began)
    return 1e3 * min(times)


def torch_network(network: LogisticNetwork, dtype: object) -> object:
    import torch

    layers: list[object] = []
    for weight, bias in zip(network.weights, network.biases, strict=True):
        layer = torch.nn.Linear(*weight.T.shape, dtype=dtype)
        layer.weight.data = torch.tensor(weight).to(dtype)
        layer.bias.data = torch.tensor(bias).to(dtype)
        layers += [layer, torch.nn.Sigmoid()]
    return torch.nn.Sequential(*layers[:-1])


def compiled(d: unbraid.DecoupledFunction, folder: Path) -> Callable[[np.ndarray], np.ndarray]:
    """The C export, called once a point from a loop in C."""
    step = f"decoupled(p + {d.n_inputs} * k, f + {d.n_outputs} * k)"
    loop = (
        "void many(long count, const double *p, double *f) {\n"
        f"  for (long k = 0; k < count; k++) {step};\n}}\n"
    )
    (folder / "d.c").write_text(export.to_c(d) + loop)
    target = folder / "d.so"
    subprocess.run(
        ["gcc", "-O2", "-shared", "-fPIC", "-o", target, folder / "d.c", "-lm"], check=True
    )
    many = ctypes.CDLL(str(target)).many
    many.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

    def call(points: np.ndarray) -> np.ndarray:
        values = np.empty((len(points), d.n_outputs))
        many(len(points), points.ctypes.data, values.ctypes.data)
        return values

    return call


def main() -> None:
    network = random_network(random_state=0)
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.5, 1.5, (N, 2))
    print(f"{N} points, network 2-15-10-10-5-2; shortest of {REPEATS} runs")
    if find_spec("torch") is None:
        print("torch is not installed: make torch")
    else:
        import torch

        with torch.no_grad():
            for dtype in (torch.float64, torch.float32):
                model, batch = torch_network(network, dtype), torch.tensor(points, dtype=dtype)
                name = f"torch, {str(dtype).removeprefix('torch.')}"
                print(f"  {name:<36}{shortest(model, batch):8.1f} ms")
    operating = rng.uniform(-1.5, 1.5, (1000, 2))
    for r in (3, 6):
        d = unbraid.decouple(network, operating, n_branches=r, basis=BSpline(16), random_state=0)
        error = float(np.mean(unbraid.relative_error(network(points), d(points))))
        name = f"unbraid, r = {r}, {error:.2g} % off"
        print(f"  {name:<36}{shortest(d, points):8.1f} ms")
        if shutil.which("gcc"):
            with tempfile.TemporaryDirectory() as folder:
                call = compiled(d, Path(folder))
                print(f"  {'  its C export':<36}{shortest(call, points):8.1f} ms")
                assert np.allclose(call(points), d(points), rtol=1e-12, atol=1e-12)


if __name__ == "__main__":
    main()
