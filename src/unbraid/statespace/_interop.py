"""Linear systems of other libraries as models."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics._records import check_sampling_time
from ..errors import InvalidOptionError
from ._lti import read_system
from ._model import StateSpace

SAME_TIME = 1e-9  # relative difference of sampling times that are the same


def from_lti(system: Any, *, sampling_time: float | None = None) -> StateSpace:
    """A linear system in discrete time as a state-space model.

    The model can be simulated, scored, described, plotted, saved and compared with others. The
    names of signals of python-control are kept. A system without states gets one without effect.

    Parameters
    ----------
    system : scipy.signal dlti, python-control StateSpace or TransferFunction, or (A, B, C, D)
        Of SciPy: StateSpace, TransferFunction or ZerosPolesGain with ``dt``. Systems in continuous
        time are refused: discretise them first.
    sampling_time : float, optional
        Seconds, where the system does not have it.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.signal import TransferFunction
    >>> model = from_lti(TransferFunction([1.0], [1.0, -0.5], dt=0.1))
    >>> model.simulate(np.array([1.0, 0.0, 0.0]), x0=[0.0]), model.sampling_time
    (array([0. , 1. , 0.5]), 0.1)
    """
    found, given = read_system(system), check_sampling_time(sampling_time)
    own = found.sampling_time
    if own is not None and given is not None and not np.isclose(own, given, rtol=SAME_TIME):
        raise InvalidOptionError(
            f"sampling_time is {given:g} s but the system has {own:g} s: leave one of them out"
        )
    return StateSpace(
        None,
        n_states=max(len(found.A), 1),
        linear=found.linear,
        sampling_time=given if own is None else own,
        input_names=found.input_names,
        output_names=found.output_names,
    )
