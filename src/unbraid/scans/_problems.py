"""What is scanned: samples of a function, or a dynamic model with its records.

A problem fits the model of one cell, and describes itself for a store. It is pickled and sent to
worker processes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._decouple import decouple
from .._typing import Array
from ..data._samples import Samples
from ..errors import DivergenceError
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..narx import NARX
from ._dynamic_problem import DynamicProblem, describe_result
from ._records import digest_arrays
from ._state_problem import StateScanProblem


@dataclass(frozen=True)
class FunctionProblem:
    """Samples, those held out of every cell, and the names of inputs and outputs."""

    samples: Samples
    held_out: float | Samples
    coupled_parameters: int | None = None
    names: Sequence[str] | None = None
    output_names: Sequence[str] | None = None

    @property
    def fingerprint(self) -> str:
        held = self.held_out
        held_arrays = _arrays(held) if isinstance(held, Samples) else [np.array([held])]
        names = repr((self.coupled_parameters, self.names, self.output_names))
        return digest_arrays(f"function {names}", [*_arrays(self.samples), *held_arrays])

    def document(self) -> dict[str, Any]:
        return {
            "kind": "function",
            "words": self.samples.words,
            "coupled_parameters": self.coupled_parameters,
            "reference_errors": [None, None],
        }

    def fit(self, keywords: Mapping[str, Any]) -> dict[str, Any]:
        d = decouple(self.samples, held_out=self.held_out, **keywords)
        d = d.named(self.names, self.output_names)
        errors = d.fitted_error, d.held_out_error
        result = describe_result(_measure(d), self.coupled_parameters, errors, mean_error)
        return {"model": d.to_dict(), **result}


@dataclass(frozen=True)
class NarxProblem(DynamicProblem):
    """A coupled NARX model that is decoupled and refined."""

    reference: NARX
    kind: ClassVar[str] = "narx"
    title: ClassVar[str] = "NARX"

    @property
    def fingerprint(self) -> str:
        reference = self.reference
        predictions = reference.predict(*self.data)
        arrays = predictions if isinstance(predictions, list) else [predictions]
        initial = self.initial and int(self.initial)
        lags = (reference.input_lags, reference.output_lags, initial, self.coupled_parameters)
        return digest_arrays(f"narx {lags!r}", [*self.list_signals(), *arrays])

    def fit(self, keywords: Mapping[str, Any]) -> dict[str, Any]:
        options = dict(keywords)
        refine = options.pop("refine", True)
        options.setdefault("random_state", getattr(options.get("method"), "random_state", None))
        model = self.reference.decouple(options.pop("n_branches"), data=self.data, **options)
        remarks = []
        if refine is not False:
            refine_options = refine if isinstance(refine, Mapping) else {}
            try:
                model = model.refine(*self.data, initial=self.initial, **refine_options)
            except DivergenceError as error:
                remarks = [f"not refined: {error}"]
        errors = self.list_errors(model)  # the mean is infinite if one output diverges
        result = describe_result(_measure(model.function), self.coupled_parameters, errors)
        document = replace(model, data=None).to_dict()  # the store holds the records once
        return {"model": document, "warnings": remarks, **result}

    def list_errors(self, model: NARX) -> tuple[Array | None, ...]:
        return tuple(
            None if d is None else np.atleast_1d(model.score(*d, initial=self.initial).percent)
            for d in (self.data, self.test)
        )


ScanProblem = FunctionProblem | NarxProblem | StateScanProblem


def _measure(function: DecoupledFunction) -> tuple[int, int, int]:
    """Return branches, parameters and degrees of freedom."""
    return function.n_branches, function.n_parameters, function.degrees_of_freedom


def _arrays(samples: Samples) -> list[Array]:
    return [samples.points, samples.values, samples.jacobians]
