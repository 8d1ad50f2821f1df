"""Dynamic models of many kinds with a record of each, to compare running exports with."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from export_helpers import BASES, MIXED, make_function
from unbraid import BSpline, Fourier, Polynomial
from unbraid.export import StepModel
from unbraid.narx import NARX
from unbraid.statespace import StateSpace

N_SAMPLES = 70
ODD_NAMES = ["flow */ [l/min]", "\\u00b0 \"''' two\nlines\ud800"]


@dataclass(frozen=True, eq=False)
class StepCase:
    """A model, and what its simulation needs: first outputs of a NARX model, or x0."""

    model: Any
    start: np.ndarray
    n_samples: int = N_SAMPLES

    @property
    def is_narx(self) -> bool:
        return isinstance(self.model, NARX)

    @cached_property
    def step(self) -> StepModel:
        return self.model.step_model()

    @cached_property
    def u(self) -> np.ndarray:
        rng = np.random.default_rng(5)
        return 0.2 + 1.2 * rng.standard_normal((self.n_samples, self.step.n_inputs))

    @cached_property
    def y(self) -> np.ndarray:
        """The simulated outputs (T, n_y)."""
        start = {"initial": self.start} if self.is_narx else {"x0": self.start}
        return self.model.simulate(self.u, **start).reshape(self.n_samples, -1)

    @property
    def n_pushed(self) -> int:
        """First samples, which are entered and not computed."""
        return len(self.start) if self.is_narx else 0

    def longer(self, n_samples: int):
        return replace(self, n_samples=n_samples)

    def assert_agrees(self, outputs, tolerance=1e-10):
        """Compare outputs after the first samples with the simulation."""
        expected = self.y[self.n_pushed :]
        assert np.ptp(expected, axis=0).min() > 0.01
        found = np.asarray(outputs, dtype=float).reshape(expected.shape)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def make_narx(bases, input_lags, output_lags, n_inputs=1, n_outputs=1, way="linear", **options):
    """A stable NARX model with initial outputs of one sample more than needed."""
    model = NARX(None, input_lags, output_lags, **options)
    lags = model.lags(n_inputs, n_outputs)
    d = make_function(bases, way, lags.n_regressors, n_outputs)
    size = 0.15 if way == "linear" else 0.05
    d = replace(d, W=size * d.W / np.sqrt(len(bases)), offset=0.1 * d.offset)
    start = 0.1 * np.random.default_rng(4).standard_normal((lags.longest + 1, n_outputs))
    return StepCase(replace(model, function=d), start)


def make_state_space(bases, n_states, n_inputs=1, n_outputs=1, **options):
    """A stable state-space model; without bases a linear one."""
    rng = np.random.default_rng(6)
    linear = rng.standard_normal((n_states + n_outputs, n_states + n_inputs))
    A = linear[:n_states, :n_states]
    A *= 0.6 / np.abs(np.linalg.eigvals(A)).max()
    function = None
    if bases:
        d = make_function(bases, "linear", n_states + n_inputs, n_states + n_outputs)
        function = replace(d, W=0.05 * d.W, offset=0.1 * d.offset)
    offset = 0.1 * rng.standard_normal(len(linear))
    model = StateSpace(function, n_states, linear, offset, **options)
    return StepCase(model, 0.3 * rng.standard_normal(n_states))


SPLINE = [BSpline(7)]
CASES = {
    "plain": make_narx(SPLINE, (0, 1), (1, 2)),
    "gaps": make_narx([BSpline(7), Fourier(2)], (1, 3), (2,)),
    "forgetful": make_narx([Polynomial(3)], (0, 1, 4), ()),
    "unforced": make_narx([Polynomial(3)], (), (1, 2)),
    "channels": make_narx(SPLINE * 3, ((0, 2), (1,)), ((1, 3), (2,)), 2, 2, input_names=ODD_NAMES),
    "mixed": make_narx(MIXED, (0, 1, 2), (1, 2)),
    "no_curves": make_state_space([], 3, 2, 2),
    "curves": make_state_space(MIXED, 3, output_names=ODD_NAMES[:1], sampling_time=0.05),
    "sensors": make_state_space(
        [BSpline(8), Polynomial(3)],
        4,
        2,
        3,
        bounds=(np.array([-np.inf, -0.5, -1.0]), np.array([0.7, np.inf, 0.4])),
        output_names=["a", "b", "c"],
    ),
}
FEW = tuple(CASES)
CASES |= {
    f"{name}_{way}": make_narx([basis], (0, 1), (1, 2), way=way)
    for name, basis in BASES.items()
    for way in ("linear", "basis")
}
CASES["unforced"] = replace(CASES["unforced"], start=np.array([[2.0], [-1.5], [3.0]]))
every_model = pytest.mark.parametrize(
    "case", [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in CASES]
)
LONG = {name: CASES[name].longer(10_000) for name in ("mixed", "sensors")}
