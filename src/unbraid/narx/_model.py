"""NARX models: a static map with lagged inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._typing import Array
from .._util.documents import read_document, write_document
from .._util.progress import show_progress
from .._util.validation import check_integer, check_path
from ..bases import Basis
from ..dynamics._candidates import CandidateTable
from ..dynamics._records import Records
from ..dynamics._refinement import Refinement
from ..dynamics._static_map import make_static_map
from ..errors import InvalidFileError, InvalidOptionError, InvalidSamplesError
from ..export import StepModel
from ..model._branch import Extrapolate
from ..model._description import Description
from ..model._function import DecoupledFunction
from ..sampling import RandomState
from ._decoupling import choose_sampling, decouple_map, default_options
from ._files import CHANNEL_FIELDS, from_document, to_document
from ._problem import make_problem
from ._refinement import Callback, refine_function, warn_if_incomplete
from ._step_model import make_step_model
from ._validation import ValidatedLaggedModel
from ._views import describe_narx, name_signals, plot_branches_of, plot_narx_terms, render_narx

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

HELD_OUT = 0.2  # share of the samples
DECOUPLING_TOLERANCE_SHARE = 0.1  # of the one-step error: a smaller decoupling error is lost in it
MIN_DECOUPLING_TOLERANCE = 0.01  # %


@dataclass(frozen=True, eq=False)
class NARX(ValidatedLaggedModel):
    """NARX model ``y(t) = F(u(t), u(t-1), ..., y(t-1), ...)``, eq. (sim).

    F is any static map.

    Parameters
    ----------
    function : DecoupledFunction, polynomial, callable, PyTorch module or model with ``predict``
        Takes regressors (N, m), the lagged inputs first, then the lagged outputs, channel by
        channel, in the units of the data; returns (N, n) or (N,).
    input_lags, output_lags : sequence of int, or one such sequence per channel
        Past samples that F uses; lag 0 is the present and allowed for inputs only.
    limit : float or (n,), optional
        Larger outputs count as divergence. Fitted models have a limit.
    input_names, output_names : tuple of str, optional
        Names of the channels. The columns of tables u and y are matched with them.
    sampling_time : float, optional
        Seconds between samples; plots are in seconds and Hz if it is known.

    Signals are (T,) or (T, channels); a list of arrays is several records, and lags never cross
    from one to the next.

    Examples
    --------
    >>> import numpy as np
    >>> model = NARX(lambda p: 0.5 * p[:, 0] + 0.8 * p[:, 1], input_lags=(1,), output_lags=(1,))
    >>> u = np.ones(5)
    >>> model.simulate(u, [0.0])
    array([0.   , 0.5  , 0.9  , 1.22 , 1.476])
    """

    refinement: Refinement | None = field(default=None, repr=False)
    candidates: CandidateTable | None = field(default=None, repr=False)

    def decouple(
        self,
        n_branches: int | Literal["auto"],
        *,
        basis: Basis | Literal["auto"] | None = "auto",
        points: Any = None,
        n_points: int | None = None,
        spread: float | None = None,
        data: tuple[Any, Any] | None = None,
        extrapolate: Extrapolate | None = None,
        random_state: RandomState = None,
        progress: bool | None = None,
        **options: Any,
    ) -> NARX:
        """The same model around ``W g(V' p) + c``.

        Parameters
        ----------
        n_branches, basis, progress, **options
            As for ``unbraid.decouple``; for a polynomial the default basis is polynomials of its
            degree. ``method="explicit"`` keeps the smoothness of least simulation error on the
            data, as the paper does. With "auto" the default ``tolerance`` is a tenth of the
            model's own one-step error, because a smaller error makes no difference.
        points, n_points, spread, data
            As for ``operating_points``. By default 2000 random regressors; with the paper's
            methods 400 normal ones, 1.5 times as wide.
        extrapolate : {"linear", "constant", "basis", "nan"}, optional
            Branches beyond the operating points. By default, polynomials made from a polynomial
            continue as polynomials, and all others linearly.

        Examples
        --------
        >>> import numpy as np
        >>> bent = NARX(lambda p: np.tanh(p[:, 0] + 0.5 * p[:, 1]), (0,), (1,))
        >>> u = np.random.default_rng(0).uniform(-1, 1, 300)
        >>> small = bent.decouple(1, data=(u, bent.simulate(u, [0.0])), random_state=0)
        >>> bool(small.score(u, bent.simulate(u, [0.0])).percent < 0.1)
        True
        """
        records = self.data if data is None else self.records(*data)
        options |= default_options(self.function, basis, extrapolate)
        method = options.get("method", "varpro")
        how = choose_sampling(method, points=points, n_points=n_points, spread=spread)

        def draw(seed: RandomState) -> Array:
            return self.operating_points(**how, data=data, random_state=seed)

        def judge(function: Any) -> float:
            assert records is not None
            return float(np.mean(replace(self, function=function)._score(records, None).percent))

        if isinstance(n_branches, str) and records is not None:
            share = DECOUPLING_TOLERANCE_SHARE * self._one_step_error(records)
            options.setdefault("tolerance", max(MIN_DECOUPLING_TOLERANCE, share))
        simulated = judge if records else None
        with show_progress("Decoupling", progress):
            d = decouple_map(self.function, draw, n_branches, simulated, random_state, options)
        return replace(self, function=d, data=records)

    def refine(
        self,
        u: Any,
        y: Any,
        *,
        initial: int | None = None,
        held_out: float | tuple[Any, Any] = HELD_OUT,
        weights: Any = None,
        max_iterations: int = 100,
        callback: Callback | None = None,
        progress: bool | None = None,
    ) -> NARX:
        """Minimise the simulation error by Gauss-Newton, eq. (post_opt).

        The parameters are W, V, the coefficients of the branches and the offset. If the simulation
        diverges at first, continuation leads from one-step prediction to simulation in stages. With
        one output, a second descent starts with the linear parts of all branches gathered in one
        branch, and is kept if it is as good.

        Parameters
        ----------
        u, y
            Records to fit, as for ``score``.
        initial : int, optional
            Samples of y to start each simulation from; the longest lag by default.
        held_out : float or (u, y)
            Validation data for early stopping: the step with the least error on them is kept. A
            share is taken from the end of every record; 0 fits all samples.
        weights : (T,) or a list of them, optional
            Weight of each sample, before a share is held out; 0 leaves a sample out.
        max_iterations : int
        callback : callable, optional
            Called with the step and the error in %; returns true to stop.
        progress : bool, optional
            Whether to show a line with the step and the error, as for ``unbraid.decouple``.

        Returns
        -------
        NARX
            Its ``refinement`` records the course of the refinement.
        """
        if not isinstance(self.function, DecoupledFunction):
            raise InvalidOptionError(
                "refine needs a decoupled model: call decouple(n_branches) first"
            )
        if self._is_nan_outside:
            raise InvalidOptionError(
                "refine needs branches that continue beyond the data: decouple with extrapolate="
                "'linear' or 'basis'"
            )
        check_integer("max_iterations", max_iterations)
        if callback is not None and not callable(callback):
            raise InvalidOptionError(f"callback is {callback!r}: pass a function of (step, error)")
        records = self.records(u, y)
        lags = self.lags(*records.channels)
        make_static_map(self.function, self._regressors(records)[:2], records.n_outputs)  # a check
        fitted, held = self._split(records.with_weights(weights), held_out, initial)
        problem = make_problem(fitted, lags, initial, self.limit)
        validation = None if held is None else make_problem(held, lags, initial, self.limit)
        with show_progress("Refining", progress):
            d, record = refine_function(
                self.function, problem, validation, max_iterations, callback
            )
        warn_if_incomplete(record)
        d = replace(d, origin=f"{d.origin}\n{record.words}".strip())
        limit = records.divergence_limit if self.limit is None else self.limit
        return replace(self, function=d, limit=limit, data=records, refinement=record)

    @property
    def signal_names(self) -> tuple[Sequence[str], Sequence[str]]:
        """Names of the regressors and outputs of a decoupled model."""
        return name_signals(self)

    def describe(
        self,
        points: Any = None,
        names: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> Description:
        """Describe a decoupled model: a linear model plus curved remainders.

        See ``DecoupledFunction.describe``; shares are those of one-step predictions at the
        regressors that were kept. The linear part is one term; every direction adds its curve
        without mean and slope.
        """
        return describe_narx(self, points, names, outputs)

    def plot_terms(
        self,
        path: str | Path | None = None,
        *,
        outputs: Sequence[str | int] | None = None,
        ax: Any = None,
        figsize: tuple[float, float] | None = None,
    ) -> Figure:
        """Plot the linear part of every output, and one panel per curved remainder.

        Options as in ``DecoupledFunction.plot``. Needs the extra ``plot``.
        """
        return plot_narx_terms(self, path, outputs, ax, figsize)

    def plot_branches(self, path: str | Path | None = None) -> Figure:
        """One panel per branch and the weights of the lags in it (figure f:NARX_r3)."""
        return plot_branches_of(self, path)

    def step_model(self) -> StepModel:
        """The equations of one sample, which ``unbraid.export`` translates."""
        return make_step_model(self)

    def save(self, path: str | Path) -> Path:
        """Write the model without its data, as ``DecoupledFunction.save`` does."""
        return write_document(check_path(path), self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The model without its data as a document for ``narx_from_dict``."""
        channels = {name: getattr(self, name) for name in CHANNEL_FIELDS}
        return to_document(self.function, channels, self.limit)

    def _repr_html_(self) -> str:
        return render_narx(self, None if self.refinement is None else self.refinement.words)

    def _split(
        self, records: Records, held_out: Any, initial: int | None
    ) -> tuple[Records, Records | None]:
        """Records to fit, and records for early stopping."""
        if not isinstance(held_out, (tuple, list)):
            return records.split(held_out, records.check_initial(self._longest(records), initial))
        if len(held_out) != 2:
            raise InvalidOptionError("held_out must be a share of the samples, or (u, y)")
        held = self.records(*held_out)
        if held.channels != records.channels:
            raise InvalidSamplesError(
                f"held_out has {held.channels} inputs and outputs, the records {records.channels}"
            )
        return records, held


def load(path: str | Path) -> NARX:
    """Read what ``NARX.save`` wrote; any other file raises ``InvalidFileError``."""
    return narx_from_dict(read_document(path), path)


def narx_from_dict(document: Mapping[str, Any], path: str | Path) -> NARX:
    """The model in a document, or InvalidFileError."""
    try:
        return NARX(**from_document(document, path))
    except (KeyError, TypeError, InvalidOptionError, InvalidSamplesError) as problem:
        raise InvalidFileError(f"{path} is incomplete or damaged: {str(problem)[:300]}") from None
