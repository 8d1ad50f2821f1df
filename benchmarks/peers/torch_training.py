"""A plain training of the same form in torch: Adam on many starts at once, L-BFGS on the best."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.peers import Candidate, needs
from benchmarks.problems import Task
from unbraid import Polynomial

STARTS, STEPS, RATE = 6, 1000, 0.02
POLISHED, POLISH, BOUT = 2, 1000, 100
UNITS = 8  # of a branch that is a network
JACOBIAN_WEIGHT = 0.1  # as ours


def prepare(task: Task) -> None:
    needs("torch")
    import torch

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    training = Training.of(task)
    training.adam(training.start(task.seed), 3)


@dataclass
class Training:
    """Scaled samples, and the model: parameters are V, W, c and those of the branches."""

    task: Task
    P: Any
    F: Any
    J: Any
    middle: np.ndarray
    spread: np.ndarray
    half_time: float  # Adam has to stop
    whole_time: float  # L-BFGS has to stop

    @classmethod
    def of(cls, task: Task) -> Training:
        """Outputs of unit spread; inputs such that the farthest point has length one."""
        import torch

        s = task.samples
        middle, spread = s.values.mean(axis=0), s.values.std(axis=0)
        reach = np.linalg.norm(s.points, axis=1).max()
        J = s.jacobians * reach / spread[:, None]
        arrays = s.points / reach, (s.values - middle) / spread, J
        now = time.perf_counter()
        clock = now + task.seconds / 2, now + task.seconds
        return cls(task, *map(torch.tensor, arrays), middle, spread, *clock)

    def start(self, seed: int) -> list[Any]:
        import torch

        s, r = self.task.samples, self.task.n_branches
        torch.manual_seed(seed)
        sizes = [(s.n_inputs, r), (s.n_outputs, r), (1, s.n_outputs)]
        if isinstance(self.task.basis, Polynomial):
            sizes += [(self.task.degree, 1, r)]
        else:
            sizes += [(UNITS, 1, r)] * 3
        return [torch.randn(STARTS, *size).requires_grad_() for size in sizes]

    def branches(self, z: Any, shape: list[Any]) -> tuple[Any, Any]:
        """g and g' at z (starts, N, r)."""
        import torch

        if len(shape) == 3:
            a, b, c = shape
            inside = torch.tanh(3 * a * z.unsqueeze(-3) + b)
            return (c * inside).sum(-3), (c * 3 * a * (1 - inside**2)).sum(-3)
        degree = shape[0].shape[-3]
        first, second = [torch.ones_like(z), z], [torch.ones_like(z), 2 * z]
        for _ in range(degree - 1):  # Chebyshev: T' of order k is k times U of order k - 1
            first.append(2 * z * first[-1] - first[-2])
            second.append(2 * z * second[-1] - second[-2])
        g = sum(shape[0][..., k, :, :] * first[k + 1] for k in range(degree))
        slope = sum(shape[0][..., k, :, :] * (k + 1) * second[k] for k in range(degree))
        return g, slope

    def loss(self, parameters: list[Any]) -> Any:
        """One number a start."""
        import torch

        V, W, c, *shape = parameters
        V = V / V.norm(dim=-2, keepdim=True)
        g, slope = self.branches(self.P @ V, shape)
        F = g @ W.transpose(-1, -2) + c
        J = torch.einsum("...oi,...ki,...li->...kol", W, slope, V)
        values = ((F - self.F) ** 2).mean((-1, -2))
        jacobians = ((J - self.J) ** 2).mean((-1, -2, -3)) / (self.J**2).mean()
        return values + JACOBIAN_WEIGHT * jacobians

    def adam(self, parameters: list[Any], steps: int) -> Any:
        """All starts in step; the rate falls to nothing along a cosine."""
        import torch

        optimiser = torch.optim.Adam(parameters, lr=RATE)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
        for _ in range(steps):
            if time.perf_counter() > self.half_time:
                break
            optimiser.zero_grad()
            self.loss(parameters).sum().backward()
            optimiser.step()
            schedule.step()
        return self.loss(parameters).detach()

    def polish(self, parameters: list[Any]) -> None:
        """In bouts, so that a look at the clock is possible."""
        import torch

        optimiser = torch.optim.LBFGS(
            parameters,
            max_iter=BOUT,
            history_size=50,
            tolerance_grad=1e-14,
            tolerance_change=1e-16,
            line_search_fn="strong_wolfe",
        )

        def closure() -> Any:
            optimiser.zero_grad()
            loss = self.loss(parameters)
            loss.backward()
            return loss

        before = np.inf
        for _ in range(POLISH // BOUT):
            reached = float(optimiser.step(closure))
            if time.perf_counter() > self.whole_time or reached >= before:
                break
            before = reached

    def candidate(self, parameters: list[Any]) -> Candidate:
        import torch

        V, W, c, *shape = parameters
        reach = np.linalg.norm(self.task.samples.points, axis=1).max()

        def predict(points: np.ndarray) -> np.ndarray:
            with torch.no_grad():
                directions = V / V.norm(dim=-2, keepdim=True)
                g, _ = self.branches(torch.tensor(points / reach) @ directions, shape)
                return (g @ W.T + c).numpy() * self.spread + self.middle

        return Candidate(predict, sum(p.numel() for p in parameters))


def candidates(task: Task) -> Iterator[Candidate]:
    training = Training.of(task)
    parameters = training.start(task.seed)
    losses = training.adam(parameters, STEPS)
    for index in losses.argsort()[:POLISHED]:
        one = [p[index].detach().clone().requires_grad_() for p in parameters]
        training.polish(one)
        yield training.candidate(one)
