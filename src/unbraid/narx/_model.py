"""NARX models: a static map in a loop of lags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._typing import Array
from .._util.documents import read, write
from .._util.validation import file_path, finite_array, no_overflow, positive_integer, real_array
from ..bases import Basis
from ..errors import DivergenceError, InvalidFile, InvalidOption, InvalidSamples
from ..metrics import relative_error
from ..model._branch import Extrapolate
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..sampling import RandomState
from ._decoupling import decoupled, defaults, drawn_as
from ._files import from_document, to_document
from ._lags import Lags, Spec, checked_spec, lags_for
from ._plots import plot_narx_branches, plot_simulation
from ._points import choose_points
from ._records import Records, column_table, is_several, make_records, parts_of, weighted
from ._refinement import Callback, Refinement, refined, warn
from ._scoring import Score, scored
from ._simulation import Run, Setting, simulate
from ._static_map import static_map
from ._tasks import first_sample, make_task, without_last

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

HELD_OUT = 0.2
FINE = 0.1  # of the one-step error: closer to the coupled function need not be


@dataclass(frozen=True, eq=False)
class NARX:
    """``y(t) = F(u(t), u(t-1), ..., y(t-1), ...)``, eq. (sim), around any static map F.

    Parameters
    ----------
    function : DecoupledFunction, polynomial, callable, PyTorch module or model with ``predict``
        Takes regressors (N, m), the lagged inputs first, then the lagged outputs, channel by
        channel, in the units of the data; returns (N, n) or (N,).
    input_lags, output_lags : sequence of int, or one such sequence a channel
        Past samples F looks at; lag 0 is the present and open to inputs only.
    limit : float or (n,), optional
        Outputs beyond it count as run off. Models that were fitted have one.

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

    function: Any
    input_lags: Spec
    output_lags: Spec
    limit: Any = None
    data: Records | None = field(default=None, repr=False)
    refinement: Refinement | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("input_lags", "output_lags"):
            object.__setattr__(self, name, checked_spec(name, getattr(self, name)))
        if self.limit is not None:
            limit = np.atleast_1d(real_array("limit", self.limit))
            if limit.ndim > 1 or not np.all(limit > 0):
                raise InvalidOption(f"limit must be greater than 0, got {self.limit!r}")
        if not self.input_lags and not self.output_lags:
            raise InvalidOption("input_lags and output_lags are both empty: nothing to look at")

    @property
    def n_parameters(self) -> int | None:
        """Numbers stored in the static map, where it says so."""
        return getattr(self.function, "n_parameters", None)

    def regressors(self, u: Any, y: Any) -> Array:
        """All regressors of the records, eq. (x), (N, m)."""
        return self._table(self.records(u, y))

    def predict(self, u: Any, y: Any) -> Any:
        """One step ahead from the measured past, as long as y.

        The first samples, which have no full regressor, echo y.
        """
        records = self.records(u, y)
        table = self._table(records)
        function = static_map(self.function, table, records.n_outputs)
        with np.errstate(all="ignore"):
            values = function.values(table)
        if not self._ends:
            values = no_overflow("the model", values, table)
        longest, outputs = self._lags(records).longest, []
        for record in records.items:
            here, values = np.split(values, [len(record) - longest])
            outputs.append(np.concatenate([record.y[:longest], here]))
        return records.like(outputs)

    def simulate(self, u: Any, initial: Any) -> Any:
        """Free run, eq. (pred): as long as u, the initial samples of y echoed.

        Parameters
        ----------
        u : (T,), (T, n_u) or a list of them
        initial : (T0,), (T0, n) or a list of them
            Measured outputs to start from, at least as many as the longest lag.

        Raises
        ------
        DivergenceError
            Where the model runs off; it says at which sample and holds what came before.
        """
        many, inputs = is_several(u), parts_of("u", u)
        starts = list(initial) if many and is_several(initial) else [initial] * len(inputs)
        if len(starts) != len(inputs):
            raise InvalidSamples(f"u has {len(inputs)} records, initial has {len(starts)}")
        outputs = []
        for k, (signal, start) in enumerate(zip(inputs, starts, strict=True)):
            table, first = column_table("u", signal), column_table("initial", start)
            run = self._run(table, first)
            y = run.y[:, 0] if np.ndim(start) == 1 else run.y
            if run.diverged_at is not None:
                raise DivergenceError(
                    _ran_off(run.diverged_at, k if many else None), run.diverged_at, k, y
                )
            outputs.append(y)
        return outputs if many else outputs[0]

    def score(self, u: Any, y: Any, initial: int | None = None) -> Score:
        """Simulation error after the first ``initial`` samples (default: the longest lag).

        Several records are pooled.
        """
        return self._score(self.records(u, y), initial)

    def _score(self, records: Records, initial: int | None) -> Score:
        first, runs = self._runs(records, initial)
        return scored(records, runs, first)

    def _runs(self, records: Records, initial: int | None) -> tuple[int, list[Run]]:
        """Every record simulated, and the sample from which it ran free."""
        first = first_sample(records, self._lags(records), initial)
        return first, [self._run(record.u, record.y[:first]) for record in records.items]

    def operating_points(
        self,
        points: Any = "random",
        n_points: int = 2000,
        *,
        spread: float = 1.0,
        data: tuple[Any, Any] | None = None,
        random_state: RandomState = None,
    ) -> Array:
        """Where to sample F, from the regressors of the record it was fitted to, or of ``data``.

        ``points`` is "random", "space-filling" (each next point the farthest from all before),
        "covariance" (normal points of the same covariance) or an array (N, m). ``spread`` > 1
        moves them outwards, in favour of extrapolation.
        """
        records = self.data if data is None else self.records(*data)
        if records is not None:
            return choose_points(self._table(records), points, n_points, spread, random_state)
        if isinstance(points, str):
            raise InvalidOption(
                "this model has not seen data: pass data=(u, y), or points as an array (N, m)"
            )
        return finite_array("points", points, ndim=2)

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
        **options: Any,
    ) -> NARX:
        """The same model around ``W g(V' p) + c``.

        Parameters
        ----------
        n_branches, basis, **options
            As for ``unbraid.decouple``; for a polynomial the default basis is polynomials of its
            degree. ``method="explicit"`` keeps the smoothness of least simulation error on the
            data, as the paper does. With "auto" the default ``tolerance`` is a tenth of the
            model's own one-step error: what lies below is lost in it.
        points, n_points, spread, data
            As for ``operating_points``. By default 2000 random regressors; with the paper's
            methods 400 normal ones, 1.5 times as wide.
        extrapolate : {"linear", "basis", "nan"}, optional
            How branches go on beyond the operating points. By default polynomials made from a
            polynomial go on as such, all else goes on straight.

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
        options |= defaults(self.function, basis, extrapolate)
        how = drawn_as(options.get("method", "varpro"), points, n_points, spread)

        def draw(seed: RandomState) -> Array:
            return self.operating_points(
                how.points, how.n_points, spread=how.spread, data=data, random_state=seed
            )

        def judge(function: Any) -> float:
            assert records is not None
            return float(np.mean(replace(self, function=function)._score(records, None).percent))

        if isinstance(n_branches, str) and records is not None:
            options.setdefault("tolerance", max(0.01, FINE * self._one_step_error(records)))
        d = decoupled(
            self.function, draw, n_branches, judge if records else None, random_state, options
        )
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
    ) -> NARX:
        """Gauss-Newton on the simulation error, eq. (post_opt): all of W, V, branches, offset.

        A start that runs off is led in: from one-step prediction to simulation, in stages. With
        one output a second descent starts from the straight parts of all branches gathered in one,
        and is kept where it is as good.

        Parameters
        ----------
        u, y
            Records to fit, as for ``score``.
        initial : int, optional
            Samples of y to start each simulation from; the longest lag by default.
        held_out : float or (u, y)
            Samples to stop on: the step with the least error on them is kept. A share is taken
            from the end of every record; 0 fits all samples.
        weights : (T,) or a list of them, optional
            How much each sample counts, also where a share is held out: 0 leaves it out, large
            ones pull the fit to where they are.
        max_iterations : int
        callback : callable, optional
            Told the step and the error in %; returns true to stop.

        Returns
        -------
        NARX
            Its ``refinement`` says what was done.
        """
        if not isinstance(self.function, DecoupledFunction):
            raise InvalidOption("refine tunes a decoupled model: call decouple(n_branches) first")
        if self._ends:
            raise InvalidOption(
                "refine needs branches that go on beyond the data: decouple with extrapolate="
                "'linear' or 'basis'"
            )
        positive_integer("max_iterations", max_iterations)
        if callback is not None and not callable(callback):
            raise InvalidOption(f"callback is {callback!r}: pass a function of (step, error)")
        records = self.records(u, y)
        lags = self._lags(records)
        static_map(self.function, self._table(records)[:2], records.n_outputs)  # does it fit?
        fitted, held = self._split(weighted(records, weights), held_out, initial)
        task = make_task(fitted, lags, initial, self.limit)
        judge = None if held is None else make_task(held, lags, initial, self.limit)
        d, record = refined(self.function, task, judge, max_iterations, callback)
        warn(record)
        d = replace(d, origin=f"{d.origin}\n{record.words}".strip())
        limit = records.reach if self.limit is None else self.limit
        return replace(self, function=d, limit=limit, data=records, refinement=record)

    def _split(
        self, records: Records, held_out: Any, initial: int | None
    ) -> tuple[Records, Records | None]:
        """What to fit, and what to stop on."""
        if not isinstance(held_out, (tuple, list)):
            first = first_sample(records, self._lags(records), initial)
            return without_last(records, held_out, first)
        if len(held_out) != 2:
            raise InvalidOption("held_out must be a share of the samples, or (u, y)")
        held = self.records(*held_out)
        if held.channels != records.channels:
            raise InvalidSamples(
                f"held_out has {held.channels} inputs and outputs, the records {records.channels}"
            )
        return records, held

    def plot(
        self, u: Any, y: Any, initial: int | None = None, path: str | Path | None = None
    ) -> Figure:
        """Simulated and measured outputs, the error below, a close-up and spectra.

        Several records are shown one after the other. Needs the extra ``plot``.
        """
        records = self.records(u, y)
        first, runs = self._runs(records, initial)
        return plot_simulation(
            [record.y for record in records.items], [run.y for run in runs], first, path
        )

    def plot_branches(self, path: str | Path | None = None) -> Figure:
        """One panel a branch and the weights of the lags in it (figure f:NARX_r3)."""
        if not isinstance(self.function, DecoupledFunction):
            raise InvalidOption("only a decoupled model has branches: call decouple first")
        d = self.function
        if self.data is None:
            lags = lags_for(self.input_lags, self.output_lags, d.n_inputs, d.n_outputs)
        else:
            lags = self._lags(self.data)
        return plot_narx_branches(d.branches, d.W, d.V, lags.names, path)

    def save(self, path: str | Path) -> Path:
        """Write a JSON file that ``unbraid.narx.load`` reads; the data is not in it."""
        return write(file_path(path), self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """A document that ``narx_from_dict`` turns back into the model, without its data."""
        return to_document(self.function, self.input_lags, self.output_lags, self.limit)

    def lags(self, n_inputs: int = 1, n_outputs: int = 1) -> Lags:
        """The lags for so many channels."""
        return Lags.expand(self.input_lags, self.output_lags, n_inputs, n_outputs)

    def _lags(self, records: Records) -> Lags:
        return self.lags(records.n_inputs, records.n_outputs)

    def records(self, u: Any, y: Any) -> Records:
        """Inputs and outputs checked, long enough for the lags."""
        records = make_records(u, y)
        if self.limit is not None and np.size(self.limit) not in (1, records.n_outputs):
            raise InvalidSamples(
                f"limit has {np.size(self.limit)} numbers but y has {records.n_outputs} channels"
            )
        records.require(self._lags(records).longest + 1)
        return records

    @property
    def _ends(self) -> bool:
        """Does its function end with the data? It is NaN beyond."""
        d = self.function
        return isinstance(d, DecoupledFunction) and any(b.extrapolate == "nan" for b in d.branches)

    def _one_step_error(self, records: Records) -> float:
        """In %, mean of the outputs that vary."""
        table, longest = self._table(records), self._lags(records).longest
        function = static_map(self.function, table, records.n_outputs)
        with np.errstate(all="ignore"):
            values = no_overflow("the model", function.values(table), table)
        measured = np.concatenate([record.y[longest:] for record in records.items])
        return mean_error(relative_error(measured, values))

    def _table(self, records: Records) -> Array:
        lags = self._lags(records)
        tables = [lags.table(r.u, r.y, lags.longest, len(r)) for r in records.items]
        return np.concatenate(tables)

    def _run(self, u: Array, initial: Array) -> Run:
        lags = self.lags(u.shape[1], initial.shape[1])
        if len(initial) < lags.longest:
            raise InvalidSamples(
                f"initial has {len(initial)} samples but the longest lag is {lags.longest}"
            )
        if len(initial) >= len(u):
            raise InvalidSamples(
                f"initial has {len(initial)} samples and u has {len(u)}: nothing is left to "
                f"simulate; pass the first few outputs only, say y[:{max(lags.longest, 1)}]"
            )
        y = np.concatenate([initial, np.zeros((1, initial.shape[1]))])
        first = lags.table(u, y, lags.longest, lags.longest + 1)
        table = np.repeat(first, 2, axis=0)
        limit = np.inf if self.limit is None else self.limit
        function = static_map(self.function, table, initial.shape[1])
        return simulate(function, lags, Setting(u, initial, limit))


def load(path: str | Path) -> NARX:
    """Read what ``NARX.save`` wrote; anything else is refused with ``InvalidFile``."""
    return narx_from_dict(read(path), path)


def narx_from_dict(document: Mapping[str, Any], path: str | Path) -> NARX:
    """The model in a document, checked, or InvalidFile."""
    try:
        return NARX(*from_document(document, path))
    except InvalidOption as problem:
        raise InvalidFile(f"{path} is damaged: {str(problem)[:300]}") from None


def _ran_off(sample: int, record: int | None) -> str:
    where = "" if record is None else f" of record {record}"
    return (
        f"the simulation runs off at sample {sample}{where}: the model is unstable there; refine "
        f"it on simulation error, or stay within the range it was fitted on"
    )
