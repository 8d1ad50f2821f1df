"""One reference model, several numbers of branches (figure f:NARX_results)."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DivergenceError, InvalidOption
from .model import NARX
from .plots import plot_errors

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Row:
    """One number of branches: models, and their simulation errors in % (mean of outputs)."""

    n_branches: int
    degrees_of_freedom: int
    model: NARX = field(repr=False)
    refined: NARX | None = field(repr=False)
    train_error: float
    test_error: float | None
    refined_train_error: float | None
    refined_test_error: float | None
    seconds: float


@dataclass(frozen=True, eq=False)
class Scan:
    """A table by number of branches; ``print`` it, ``plot`` it, take the ``best``."""

    rows: tuple[Row, ...]
    reference_train_error: float
    reference_test_error: float | None

    def best(self, tolerance: float = 1.1) -> NARX:
        """The model of fewest branches whose training error is within a factor of the least."""
        models = [row.refined or row.model for row in self.rows]
        errors = [_final(row) for row in self.rows]
        least = min(errors)
        return next(m for m, e in zip(models, errors, strict=True) if e <= tolerance * least)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Error against the number of branches, on the test record if there is one."""
        tested = self.reference_test_error is not None
        plain = [r.test_error if tested else r.train_error for r in self.rows]
        refined = [r.refined_test_error if tested else r.refined_train_error for r in self.rows]
        return plot_errors(
            [row.n_branches for row in self.rows],
            [float(e) for e in plain if e is not None],
            None if not any(refined) else [np.nan if e is None else float(e) for e in refined],
            self.reference_test_error if tested else self.reference_train_error,
            "test" if tested else "training",
            path,
        )

    def __str__(self) -> str:
        head = f"{'branches':>9} {'freedom':>8} {'train %':>9} {'test %':>9}"
        head += f" {'refined':>9} {'test %':>9} {'seconds':>8}"
        lines = [head]
        for r in self.rows:
            errors = (r.train_error, r.test_error, r.refined_train_error, r.refined_test_error)
            cells = " ".join(f"{'':>9}" if e is None else f"{e:9.4g}" for e in errors)
            lines.append(f"{r.n_branches:9d} {r.degrees_of_freedom:8d} {cells} {r.seconds:8.1f}")
        reference = f"reference: train {self.reference_train_error:.4g} %"
        if self.reference_test_error is not None:
            reference += f", test {self.reference_test_error:.4g} %"
        return "\n".join([*lines, reference])


def _final(row: Row) -> float:
    return row.train_error if row.refined_train_error is None else row.refined_train_error


def scan(
    reference: NARX,
    u: Any,
    y: Any,
    n_branches: int | Iterable[int] = range(1, 7),
    *,
    test: tuple[Any, Any] | None = None,
    initial: int | None = None,
    refine: bool | dict[str, Any] = True,
    **options: Any,
) -> Scan:
    """Decouple with several numbers of branches, refine, and compare in simulation.

    Parameters
    ----------
    reference : NARX
        The coupled model.
    u, y
        The training record(s): choices are made on them alone.
    n_branches : iterable of int
    test : (u, y), optional
        Only reported.
    initial : int, optional
        Samples that each simulation starts from.
    refine : bool or dict
        Also refine each model; a dict holds options of ``NARX.refine``. A model that refinement
        cannot bring near the data has no refined one.
    **options
        Of ``NARX.decouple``.
    """
    if isinstance(n_branches, str):
        raise InvalidOption(f"n_branches is {n_branches!r}: name the numbers to try, say (1, 2, 3)")
    counts = [n_branches] if isinstance(n_branches, int) else list(n_branches)
    if not counts:
        raise InvalidOption("n_branches is empty: name the numbers of branches to try")
    rows = []
    for count in counts:
        began = time.perf_counter()
        model = reference.decouple(count, data=(u, y), **options)
        how = {"initial": initial, **(refine if isinstance(refine, dict) else {})}
        tuned = None if refine is False else _refined(model, u, y, how)
        rows.append(
            Row(
                count,
                model.function.degrees_of_freedom,
                model,
                tuned,
                _error(model, (u, y), initial),
                None if test is None else _error(model, test, initial),
                None if tuned is None else _error(tuned, (u, y), initial),
                None if tuned is None or test is None else _error(tuned, test, initial),
                time.perf_counter() - began,
            )
        )
    return Scan(
        tuple(rows),
        _error(reference, (u, y), initial),
        None if test is None else _error(reference, test, initial),
    )


def _refined(model: NARX, u: Any, y: Any, how: dict[str, Any]) -> NARX | None:
    """The model refined, or None where that leads nowhere."""
    try:
        return model.refine(u, y, **how)
    except DivergenceError:
        return None


def _error(model: NARX, data: tuple[Any, Any], initial: int | None) -> float:
    return float(np.mean(model.score(*data, initial=initial).percent))
