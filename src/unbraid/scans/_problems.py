"""What is scanned: samples of a function, or a dynamic model with its records.

A problem fits the model of one cell, and describes itself for a store. It is pickled and sent to
worker processes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._decouple import decouple
from .._typing import Array
from .._util.validation import count_noun
from ..data._samples import Samples
from ..dynamics._records import Records
from ..errors import DivergenceError
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..narx import NARX
from ._records import digest_arrays, records_to_dict
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
        result = _describe_result(d, errors, mean_error, self.coupled_parameters)
        return {"model": d.to_dict(), **result}


@dataclass(frozen=True)
class NarxProblem:
    """A coupled NARX model, and the records to decouple and to test it with."""

    reference: NARX
    data: tuple[Any, Any]
    test: tuple[Any, Any] | None = None
    initial: int | None = None
    coupled_parameters: int | None = None

    @property
    def fingerprint(self) -> str:
        reference = self.reference
        records = [self.records, *([] if self.test is None else [reference.records(*self.test)])]
        arrays = [array for part in records for item in part.items for array in (item.u, item.y)]
        predictions = reference.predict(*self.data)
        arrays += predictions if isinstance(predictions, list) else [predictions]
        initial = self.initial and int(self.initial)
        lags = (reference.input_lags, reference.output_lags, initial, self.coupled_parameters)
        return digest_arrays(f"narx {lags!r}", arrays)

    @property
    def records(self) -> Records:
        return self.reference.records(*self.data)

    def document(self) -> dict[str, Any]:
        records = self.records
        n_samples = sum(map(len, records.items))
        errors = self._errors(self.reference)
        return {
            "kind": "narx",
            "words": (
                f"NARX model, {count_noun(records.n_inputs, 'input')}, "
                f"{count_noun(records.n_outputs, 'output')}, {count_noun(n_samples, 'sample')}"
            ),
            "coupled_parameters": self.coupled_parameters,
            "reference_errors": [None if e is None else float(np.mean(e)) for e in errors],
            "records": records_to_dict(records),
        }

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
        errors = self._errors(model)  # the mean is infinite if one output diverges
        result = _describe_result(model.function, errors, np.mean, self.coupled_parameters)
        document = replace(model, data=None).to_dict()  # the store holds the records once
        return {"model": document, "warnings": remarks, **result}

    def _errors(self, model: NARX) -> tuple[Array | None, ...]:
        """Return the free-run errors in % on the records and on the test records."""
        return tuple(
            None if d is None else np.atleast_1d(model.score(*d, initial=self.initial).percent)
            for d in (self.data, self.test)
        )


ScanProblem = FunctionProblem | NarxProblem | StateScanProblem


def _describe_result(
    function: DecoupledFunction,
    errors: Iterable[Array | None],
    mean: Callable[[Array], Any],
    coupled_parameters: int | None,
) -> dict[str, Any]:
    """Return the size of a function, its errors per output, and their mean."""
    size = function.n_parameters
    result = {
        "n_branches": function.n_branches,
        "n_parameters": size,
        "degrees_of_freedom": function.degrees_of_freedom,
        "compression": None if coupled_parameters is None else coupled_parameters / size,
    }
    for name, error in zip(("fitted_error", "held_out_error"), errors, strict=True):
        if error is not None:
            result |= {name: float(mean(error)), f"{name}s": error.tolist()}
    return result


def _arrays(samples: Samples) -> list[Array]:
    return [samples.points, samples.values, samples.jacobians]
