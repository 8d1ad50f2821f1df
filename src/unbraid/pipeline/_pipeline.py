"""From samples to a decoupled function: solve, fit branches, polish, judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..bases import Basis, CustomBasis, Polynomial
from ..data._samples import Samples
from ..data._splitting import thinned
from ..errors import InvalidOption
from ..model._branch import Branch, Expansion
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..solvers._base import STOPPED, Solution, Solver
from ..solvers._problem import Problem
from ..solvers.varpro._levenberg import Patience
from ..solvers.varpro._solver import VarPro
from ._assembly import assemble, inner_basis
from ._canonical import cancellation, set_apart
from ._refinement import Penalty, common_basis, problem_of, refined, with_marks, with_offset
from ._selection import (
    candidates,
    choose_basis,
    error_of_jacobians,
    held_out_error,
    merit,
    value_error,
)
from ._uncertainty import assess, with_worth

NO_VALUES = 1e6  # weight of the Jacobians over the values from which the values are not meant
QUIET = 0.01  # weight of the Jacobians while values are polished: keeps branches tame
MOSTLY = 0.9  # share of the values in the verdict on a polish
IMPROVED = 0.99  # a polish has to lower the errors to this share, or it is left
POLISHING = Patience(50)
LAST_STEPS = Patience(10)  # on all points, from a start that is almost there
NO_STEP = Patience(0)  # coefficients only
ROUNDING = 1e-6  # of the largest coefficient
SURPRISING = 1.25  # times the error as fitted, on all points: something new was among them
CANCELLING = 2.0  # times the variance of an output, in branches: they work against each other
DISCOURAGING = (1e-2, 1e-4, 1e-6)  # weights of the penalty on that, one after the other
NO_WORSE, UNNOTICED = 1.05, 1e-3  # times the error before, and % of error
EXACT = 1e-7  # %: nothing is left to be polished
ITSELF = 1e-9  # %: this is the function, whatever its branches look like
TO_THE_DIGIT = 1e-10  # %: what is left is rounding
ENOUGH, SPARE, ROOM = 10_000, 50, 32  # points, equations an unknown, coefficients a branch


@dataclass(frozen=True)
class Plan:
    """How a function is to be decoupled, whatever the number of branches."""

    solver: Solver
    basis: Basis | Literal["auto"] | None
    refine: bool

    def run(
        self,
        fitted: Samples,
        held: Samples | None,
        n_branches: int,
        known: Sequence[DecoupledFunction],
    ) -> DecoupledFunction:
        """Solve and polish on the fitted points (or enough of them), judge on the held ones."""
        solver, basis = self.solver, self.basis
        fitted = self._enough(fitted, n_branches)
        if isinstance(solver, VarPro):
            wanted = basis if isinstance(basis, Basis) else None
            solver = replace(solver, basis=solver.basis or wanted, known=(*known, *solver.known))
        solution = solver.solve(fitted, n_branches)
        if not isinstance(solution, Solution):
            raise InvalidOption(f"{type(solver).__name__}.solve must return a Solution")
        inner = inner_basis(solution) if basis == "auto" else basis
        d = assemble(fitted, solution, inner)
        if isinstance(solver, VarPro):
            if self.basis != "auto" or not refinable(d) or _stopped(d):  # else it is seen there
                d = self._seen(with_marks(d, fitted), fitted, self._weight)
            if refinable(d) and not _stopped(d):
                d = self._in_best_basis(d, fitted, held)
        if self.refine and refinable(d):
            d = self._polished(d, fitted, held)
        if isinstance(solver, VarPro) and refinable(d) and not _stopped(d):
            d = self._untangled(d, fitted, held)
        return d if held is None else replace(d, held_out_error=held_out_error(d, held))

    def _enough(self, samples: Samples, n_branches: int) -> Samples:
        """So many points that more would not change W and V; all of them for the paper's methods.

        The rest comes in at the end, when W, V and the basis are known.
        """
        if not isinstance(self.solver, VarPro):
            return samples
        unknowns = n_branches * (samples.n_inputs + samples.n_outputs + ROOM)
        equations = samples.n_outputs * (min(samples.n_inputs, n_branches) + 1)
        return thinned(samples, max(ENOUGH, SPARE * unknowns // equations))

    def _in_best_basis(
        self, d: DecoupledFunction, fitted: Samples, held: Samples | None
    ) -> DecoupledFunction:
        """In the basis asked for, or the best of several, with or without its smoothing."""
        smoothing = _smoothing(d)
        if self.basis != "auto" and (smoothing == 0 or held is None):
            return d
        bases = _possible(d, fitted) if self.basis == "auto" else [_basis(d)]
        given = getattr(self.solver, "smoothing", None) is not None
        kept = given or held is None or smoothing == 0
        smoothings = (smoothing,) if kept else (0.0, smoothing)

        tried: dict[tuple[Basis, float, int], DecoupledFunction] = {}

        def trial(basis: Basis, smoothing: float, samples: Samples) -> DecoupledFunction:
            start = _smoothed(d, smoothing)
            problem = self._problem(start, samples)
            made = self._refined(start, samples, problem, self._weight, basis, NO_STEP)
            if isinstance(basis, Polynomial) and mean_error(made.fitted_error) <= EXACT:
                made = _followed(made)
            else:
                made = self._seen(with_marks(made, samples), samples, self._weight, problem)
            tried[basis, smoothing, len(samples)] = made
            return made

        judge = value_error if self._weight == 0 else merit
        if self._weight > NO_VALUES:
            judge = error_of_jacobians
        basis, smoothing = choose_basis(trial, judge, bases, smoothings, fitted, held)
        made = tried.get((basis, smoothing, len(fitted)))
        if made is not None and mean_error(made.fitted_error) <= EXACT:
            return made
        return self._again(_smoothed(d, smoothing), fitted, self._weight, basis=basis)

    def _polished(
        self, d: DecoupledFunction, fitted: Samples, held: Samples | None
    ) -> DecoupledFunction:
        """Polished with each part weighted by how well it is met, then on the values.

        A trial is kept where it pays on the points that were not fitted: noise in one of values
        and Jacobians must not spoil what the other one knows.
        """
        judged = fitted if held is None else held
        if self._one_part or _stopped(d) or mean_error(d.fitted_error) <= EXACT:
            return d
        for _ in range(2):
            for weight in (_balance(d, judged), QUIET):
                if mean_error(d.fitted_error) <= EXACT:
                    return d
                trial = self._again(d, fitted, weight)
                if _worth_it(trial, d, judged):
                    d = _noted(trial, polish_weight=weight)
        return d

    def _untangled(
        self, d: DecoupledFunction, fitted: Samples, held: Samples | None
    ) -> DecoupledFunction:
        """Without branches that cancel, and straight ones set apart, where that fits as well."""
        judged = fitted if held is None else held
        if cancellation(d, fitted) > CANCELLING:
            exact = mean_error(d.fitted_error) <= ITSELF
            if exact:
                d = self._seen(with_marks(d, fitted), fitted, self._weight)
            if not (exact and _identified(d)):
                trial = d
                for weight in (*DISCOURAGING, 0.0):
                    trial = self._again(trial, fitted, self._last_weight(d), cancellation=weight)
                d = trial if _as_good(trial, d, judged) else d
        V = set_apart(d, fitted)
        if V is None:
            return d
        trial = self._again(replace(d, V=V), fitted, self._last_weight(d), patience=NO_STEP)
        return trial if _as_good(trial, d, judged) else d

    def _last_weight(self, d: DecoupledFunction) -> float:
        """Weight of the Jacobians that d was polished with."""
        assert d.solution is not None
        return float(d.solution.details.get("polish_weight", self._weight))

    def joined(self, d: DecoupledFunction, samples: Samples) -> DecoupledFunction:
        """Once more with all points: polished on them, or only stretched over their range."""
        if not refinable(d):
            return replace(with_offset(d, samples), held_out_error=d.held_out_error)
        weight = self._last_weight(d)
        if mean_error(d.fitted_error) > EXACT:
            many = len(samples) > ENOUGH  # a pass takes long: one that gains nothing is the last
            patience = replace(LAST_STEPS, tries=1) if many else LAST_STEPS
            last = self._again(d, samples, weight, patience=patience if self.refine else NO_STEP)
        else:  # exact in the values: Jacobians have a say only where they agree
            problem = self._problem(d, samples)
            last = self._refined(d, samples, problem, weight, patience=NO_STEP)
            if not self._one_part and mean_error(last.fitted_error) > TO_THE_DIGIT:
                plain = self._refined(d, samples, problem, 0.0, patience=NO_STEP)
                if mean_error(plain.fitted_error) < mean_error(last.fitted_error):
                    last, weight = plain, 0.0
            last = self._seen(with_marks(last, samples), samples, weight, problem)
        return replace(last, held_out_error=d.held_out_error)

    def reconsidered(
        self, before: DecoupledFunction, after: DecoupledFunction, samples: Samples
    ) -> DecoupledFunction:
        """Sought again from the start where the points held out changed the picture.

        A few large values among them can be what f is about: the answer without them is then no
        place to go on from.
        """
        was, now = mean_error(before.fitted_error), mean_error(after.fitted_error)
        searches = isinstance(self.solver, VarPro) and refinable(after) and not _stopped(after)
        if not searches or now <= max(SURPRISING * was, EXACT):
            return after
        plan = replace(self, basis=_basis(after).unbound())
        fresh = plan.joined(plan.run(samples, None, after.n_branches, [after]), samples)
        if mean_error(fresh.fitted_error) > IMPROVED * now:
            return after
        return replace(fresh, held_out_error=after.held_out_error)

    @property
    def _one_part(self) -> bool:
        """Are only the values, or only the Jacobians, to be fitted?"""
        return self._weight == 0 or self._weight > NO_VALUES

    @property
    def _weight(self) -> float:
        """Weight of the Jacobians over that of the values, as the solver has it."""
        if not isinstance(self.solver, VarPro):
            return 1.0
        return self.solver.jacobian_weight / max(self.solver.value_weight, 1e-12)

    def _again(
        self, d: DecoupledFunction, samples: Samples, weight: float, **how: Any
    ) -> DecoupledFunction:
        """Refined, the Jacobians weighted so much over the values, and seen."""
        problem = self._problem(d, samples)
        made = with_marks(self._refined(d, samples, problem, weight, **how), samples)
        return self._seen(made, samples, weight, problem)

    def _problem(self, d: DecoupledFunction, samples: Samples) -> Problem:
        return problem_of(d, samples, self._output_weights, compress=self._weight > 0)

    def _refined(
        self,
        d: DecoupledFunction,
        samples: Samples,
        problem: Problem,
        weight: float,
        basis: Basis | None = None,
        patience: Patience = POLISHING,
        cancellation: float = 0.0,
    ) -> DecoupledFunction:
        trial = refined(
            d,
            samples,
            problem,
            basis=basis,
            part_weights=(weight, 1.0),
            penalty=Penalty(_smoothing(d), cancellation),
            patience=patience,
        )
        return replace(trial, solution=d.solution)

    def _seen(
        self,
        d: DecoupledFunction,
        samples: Samples,
        weight: float,
        problem: Problem | None = None,
    ) -> DecoupledFunction:
        """With standard errors, bands and margins, and what they say, in the solution."""
        assert d.solution is not None
        if not isinstance(self.solver, VarPro):
            return d
        worth = assess(d, samples, _smoothing(d), self.solver.weights, weight, problem)
        if worth is None:
            return d
        d = _noted(
            d,
            identified=worth.identified,
            V_standard_errors=worth.V_standard_errors,
            worth=worth.sentence,
        )
        return with_worth(d, worth)

    @property
    def _output_weights(self) -> Any:
        return getattr(self.solver, "weights", None)


def _stopped(d: DecoupledFunction) -> bool:
    return d.solution is not None and d.solution.stop_reason == STOPPED


def _worth_it(trial: DecoupledFunction, d: DecoupledFunction, samples: Samples) -> bool:
    """Is the trial better, mostly in its values, and not at the cost of the Jacobians?"""
    by_value = max(value_error(trial, samples), EXACT) / max(value_error(d, samples), EXACT)
    before = max(error_of_jacobians(d, samples), EXACT)
    by_jacobian = max(error_of_jacobians(trial, samples), EXACT) / before
    return bool(by_value**MOSTLY * by_jacobian ** (1 - MOSTLY) < IMPROVED)


def _as_good(trial: DecoupledFunction, d: DecoupledFunction, samples: Samples) -> bool:
    """Is the trial no worse, but for what nobody would notice?"""
    before, after = value_error(d, samples), value_error(trial, samples)
    exact = mean_error(d.fitted_error) <= ITSELF < EXACT < mean_error(trial.fitted_error)
    return not exact and after <= max(NO_WORSE * before, UNNOTICED)


def _identified(d: DecoupledFunction) -> bool:
    assert d.solution is not None
    return bool(d.solution.details.get("identified"))


def _balance(d: DecoupledFunction, samples: Samples) -> float:
    """Weight of the Jacobians under which both parts count by how well they are met."""
    ratio = mean_error(held_out_error(d, samples)) / max(error_of_jacobians(d, samples), EXACT)
    return float(np.clip(ratio, QUIET**0.5, 1 / QUIET) ** 2)


def _followed(d: DecoupledFunction) -> DecoupledFunction:
    """A polynomial that is the function itself, wherever it is judged."""
    return replace(d, branches=tuple(replace(branch, margin=1.0) for branch in d.branches))


def _smoothing(d: DecoupledFunction) -> float:
    return 0.0 if d.solution is None else float(d.solution.details.get("smoothing", 0.0))


def _smoothed(d: DecoupledFunction, smoothing: float) -> DecoupledFunction:
    return _noted(d, smoothing=smoothing)


def _noted(d: DecoupledFunction, **found: Any) -> DecoupledFunction:
    """With more in the solution's details."""
    assert d.solution is not None
    record = replace(d.solution, details={**d.solution.details, **found})
    return replace(d, solution=record)


def _possible(d: DecoupledFunction, samples: Samples) -> list[Basis]:
    """Bases to be compared; if d is a polynomial and exact, none of a degree below its own."""
    bases = candidates(samples, d.n_branches)
    if not isinstance(_basis(d), Polynomial) or mean_error(d.fitted_error) > EXACT:
        return bases
    degree = max(_degree(branch) for branch in d.branches)
    higher = [b for b in bases if not isinstance(b, Polynomial) or b.degree >= degree]
    return higher or bases


def _degree(branch: Branch) -> int:
    """Of a polynomial, but for coefficients that are rounding."""
    assert isinstance(branch.curve, Expansion)
    size = np.abs(branch.curve.coefficients)
    return int(np.max(np.flatnonzero(size > ROUNDING * size.max()), initial=0)) + 1


def _basis(d: DecoupledFunction) -> Basis:
    basis = common_basis(d)
    assert basis is not None
    return basis


def refinable(d: DecoupledFunction) -> bool:
    basis = common_basis(d)
    return basis is not None and not isinstance(basis, CustomBasis)
