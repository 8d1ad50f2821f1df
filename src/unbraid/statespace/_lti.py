"""Linear systems of SciPy and python-control as matrices, and back."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from .._typing import Array
from .._util.validation import finite_array
from ..dynamics._records import check_sampling_time
from ..errors import InvalidOptionError, MissingExtraError
from ._simulated_model import SimulatedModel

DISCRETISE = (
    "the system has continuous time: discretise it first, with system.to_discrete(dt) of "
    "scipy.signal or control.sample_system(system, dt)"
)


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """Matrices of a system in discrete time, with what is known about its signals."""

    A: Array
    B: Array
    C: Array
    D: Array
    sampling_time: float | None = None
    input_names: tuple[str, ...] | None = None
    output_names: tuple[str, ...] | None = None

    @property
    def linear(self) -> Array:
        """[[A, B], [C, D]]; a static system gets one state without effect."""
        if len(self.A):
            return np.block([[self.A, self.B], [self.C, self.D]])
        return np.pad(self.D, ((1, 0), (1, 0)))


def read_system(system: Any) -> LinearSystem:
    """The matrices of a linear system in discrete time; other systems are refused."""
    if isinstance(system, (scipy.signal.lti, scipy.signal.dlti)):
        if system.dt is None:
            raise InvalidOptionError(DISCRETISE)
        found = _convert(system)
        return _check(found.A, found.B, found.C, found.D, _read_time(system.dt))
    if isinstance(system, (tuple, list)):
        if len(system) not in (4, 5):
            raise InvalidOptionError(
                f"a system has {len(system)} parts: pass (A, B, C, D) in discrete time, or "
                f"(A, B, C, D, sampling_time)"
            )
        A, B, C, D, *rest = system
        return _check(A, B, C, D, _read_time(*rest) if rest else None)
    if all(hasattr(system, name) for name in "ABCD"):
        found = _check(system.A, system.B, system.C, system.D, _read_control_time(system))
    elif hasattr(system, "num") and hasattr(system, "den"):
        time = _read_control_time(system)
        found = _check(*_realise_transfer(system), time)
    else:
        raise InvalidOptionError(
            f"{type(system).__name__} is no linear system: pass a discrete one of scipy.signal or "
            f"python-control, or (A, B, C, D)"
        )
    names = (
        _read_labels(system, kind, letter) for kind, letter in (("input", "u"), ("output", "y"))
    )
    return LinearSystem(found.A, found.B, found.C, found.D, found.sampling_time, *names)


def to_scipy(model: SimulatedModel) -> Any:
    """The linear part of a model as a StateSpace of scipy.signal."""
    matrices = _get_linear_part(model)
    return scipy.signal.StateSpace(*matrices, dt=model.sampling_time or True)


def to_control(model: SimulatedModel) -> Any:
    """The linear part of a model as a StateSpace of python-control."""
    matrices = _get_linear_part(model)
    try:
        import control
    except ImportError:
        raise MissingExtraError("to_control needs python-control: pip install control") from None
    names, targets = (list(part[model.n_states :]) for part in model.signal_names)
    return control.ss(*matrices, model.sampling_time or True, inputs=names, outputs=targets)


def _get_linear_part(model: SimulatedModel) -> tuple[Array, Array, Array, Array]:
    if model.n_branches is None:
        raise InvalidOptionError(
            "the linear part of a coupled model is not known: call decouple first, or fit_linear"
        )
    return model.A, model.B, model.C, model.D


def _convert(system: Any) -> Any:
    """A system of SciPy in state-space form, or InvalidOptionError."""
    try:
        with _allow_leading_zeros():
            return system.to_ss()
    except ValueError as error:
        raise InvalidOptionError(f"the system has no state-space form: {error}") from None


@contextmanager
def _allow_leading_zeros() -> Iterator[None]:
    """No warning of SciPy about numerators of a lower degree, which are common."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.signal.BadCoefficients)
        yield


def _realise_transfer(system: Any) -> tuple[Array, Array, Array, Array]:
    """Matrices of a table of transfer functions, with own states for each of them."""
    numerators = getattr(system, "num_list", None) or system.num
    denominators = getattr(system, "den_list", None) or system.den
    n_y, n_u = len(numerators), len(numerators[0])
    A, B, C, D = [], [], [], np.zeros((n_y, n_u))
    for o in range(n_y):
        for i in range(n_u):
            pair = numerators[o][i], denominators[o][i]
            with _allow_leading_zeros():
                entry = scipy.signal.TransferFunction(*map(np.atleast_1d, pair), dt=True)
            part = _convert(entry)
            D[o, i] = part.D[0, 0]
            A.append(part.A)
            B.append(part.B @ np.eye(n_u)[i : i + 1])
            C.append(np.eye(n_y)[:, o : o + 1] @ part.C)
    return scipy.linalg.block_diag(*A), np.concatenate(B), np.concatenate(C, axis=1), D


def _read_time(dt: Any) -> float | None:
    """Seconds; True is a discrete system with an unknown sampling time."""
    return None if dt is None or dt is True else check_sampling_time(dt)


def _read_control_time(system: Any) -> float | None:
    dt = getattr(system, "dt", None)
    if dt is None:
        raise InvalidOptionError(
            "the system does not say that its time is discrete: give it a sampling time, dt=True "
            "if that is unknown"
        )
    if dt is not True and dt == 0:
        raise InvalidOptionError(DISCRETISE)
    return _read_time(dt)


def _read_labels(system: Any, kind: str, letter: str) -> tuple[str, ...] | None:
    """Names of signals, unless they are those that python-control makes up."""
    labels = tuple(map(str, getattr(system, f"{kind}_labels", None) or ()))
    made_up = tuple(f"{letter}[{k}]" for k in range(len(labels)))
    return None if not labels or labels == made_up else labels


def _check(A: Any, B: Any, C: Any, D: Any, sampling_time: float | None) -> LinearSystem:
    """Check that matrices belong together."""
    parts: Sequence[Any] = (A, B, C, D)
    tables = [
        finite_array(name, np.atleast_2d(np.asarray(part)), ndim=2)
        for name, part in zip("ABCD", parts, strict=True)
    ]
    a, b, c, d = tables
    if a.size == 0:
        a, b, c = np.zeros((0, 0)), np.zeros((0, d.shape[1])), np.zeros((len(d), 0))
    if np.size(D) == 1 and d[0, 0] == 0:
        d = np.zeros((len(c), b.shape[1]))
    n = len(a)
    if a.shape != (n, n) or (len(b), c.shape[1]) != (n, n) or d.shape != (len(c), b.shape[1]):
        shapes = ", ".join(
            f"{name} {table.shape}" for name, table in zip("ABCD", tables, strict=True)
        )
        raise InvalidOptionError(
            f"the matrices do not belong together: {shapes}; A is (n, n), B (n, inputs), C "
            f"(outputs, n), D (outputs, inputs)"
        )
    if d.size == 0:
        raise InvalidOptionError("the system has no input or no output")
    return LinearSystem(a, b, c, d, sampling_time)
