"""What is scanned: samples of a function, or a NARX model with its records.

A problem makes the model of one cell, and says of itself what a store has to know. It travels to
other processes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from .._decouple import decouple
from .._typing import Array
from .._util.validation import counted
from ..data._samples import Samples
from ..errors import DivergenceError
from ..model._error_summary import mean_error
from ..model._function import DecoupledFunction
from ..narx import NARX
from ..narx._records import Record, Records

Errors = tuple[float, ...]


@dataclass(frozen=True)
class Made:
    """A model, its errors in % (an output, and their mean), and what there is to say of it."""

    model: Any
    function: DecoupledFunction
    fitted: Errors | None
    fitted_error: float | None
    held_out: Errors | None
    held_out_error: float | None
    remark: str = ""


class Problem(Protocol):
    """Anything whose cells can be run."""

    @property
    def coupled_parameters(self) -> int | None: ...

    @property
    def fingerprint(self) -> str: ...

    def document(self) -> dict[str, Any]: ...

    def make(self, keywords: Mapping[str, Any]) -> Made: ...


@dataclass(frozen=True)
class FunctionProblem:
    """Samples, which of them are held out of every cell, and what inputs and outputs are called."""

    samples: Samples
    held_out: float | Samples
    coupled_parameters: int | None = None
    names: Sequence[str] | None = None
    output_names: Sequence[str] | None = None

    @property
    def fingerprint(self) -> str:
        held = self.held_out
        apart = _arrays(held) if isinstance(held, Samples) else [np.array([held])]
        called = repr((self.coupled_parameters, self.names, self.output_names))
        return _digest(f"function {called}", [*_arrays(self.samples), *apart])

    def document(self) -> dict[str, Any]:
        return {
            "kind": "function",
            "words": self.samples.words,
            "coupled_parameters": self.coupled_parameters,
            "reference_errors": [None, None],
        }

    def make(self, keywords: Mapping[str, Any]) -> Made:
        d = decouple(self.samples, held_out=self.held_out, **keywords)
        d = d.named(self.names, self.output_names)
        fitted, held = d.fitted_error, d.held_out_error
        return Made(d, d, _tuple(fitted), _mean(fitted), _tuple(held), _mean(held))


@dataclass(frozen=True)
class NarxProblem:
    """A coupled NARX model, the records it is decoupled for, and others to test it on."""

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
        steps = reference.predict(*self.data)
        lags = repr(
            (
                reference.input_lags,
                reference.output_lags,
                self.initial and int(self.initial),
                self.coupled_parameters,
            )
        )
        arrays += steps if isinstance(steps, list) else [steps]
        return _digest(f"narx {lags}", arrays)

    @property
    def records(self) -> Records:
        return self.reference.records(*self.data)

    def document(self) -> dict[str, Any]:
        records = self.records
        n_samples = sum(map(len, records.items))
        return {
            "kind": "narx",
            "words": (
                f"NARX model, {counted(records.n_inputs, 'input')}, "
                f"{counted(records.n_outputs, 'output')}, {counted(n_samples, 'sample')}"
            ),
            "coupled_parameters": self.coupled_parameters,
            "reference_errors": [_plain_mean(errors) for errors in self._errors(self.reference)],
            "records": records_to_dict(records),
        }

    def make(self, keywords: Mapping[str, Any]) -> Made:
        how = dict(keywords)
        tuning = how.pop("refine", True)
        how.setdefault("random_state", getattr(how.get("method"), "random_state", None))
        model = self.reference.decouple(how.pop("n_branches"), data=self.data, **how)
        remark = ""
        if tuning is not False:
            options = tuning if isinstance(tuning, Mapping) else {}
            try:
                model = model.refine(*self.data, initial=self.initial, **options)
            except DivergenceError as error:
                remark = f"not refined: {error}"
        fitted, tested = self._errors(model)
        means = _plain_mean(fitted), _plain_mean(tested)
        kept = replace(model, data=None)
        return Made(kept, kept.function, fitted, means[0], tested, means[1], remark)

    def _errors(self, model: NARX) -> tuple[Errors | None, Errors | None]:
        """Of free runs of the records and of the test records."""
        return tuple(  # type: ignore[return-value]
            None
            if data is None
            else _tuple(np.atleast_1d(model.score(*data, initial=self.initial).percent))
            for data in (self.data, self.test)
        )


def records_to_dict(records: Records) -> dict[str, Any]:
    """Records for a store."""
    items = [{"u": item.u, "y": item.y} for item in records.items]
    return {"items": items, "several": records.several, "flat": records.flat}


def records_from_dict(document: Mapping[str, Any]) -> Records:
    """Records out of a store."""
    items = tuple(Record(np.array(i["u"]), np.array(i["y"])) for i in document["items"])
    return Records(items, bool(document["several"]), bool(document["flat"]))


def _arrays(samples: Samples) -> list[Array]:
    return [samples.points, samples.values, samples.jacobians]


def _digest(kind: str, arrays: Iterable[Any]) -> str:
    """The same for the same numbers in the same shapes."""
    digest = hashlib.sha256(kind.encode())
    for array in arrays:
        numbers = np.ascontiguousarray(array, dtype=float)
        digest.update(repr(numbers.shape).encode() + numbers.tobytes())
    return digest.hexdigest()


def _mean(errors: Array | None) -> float | None:
    return None if errors is None else mean_error(errors)


def _plain_mean(errors: Errors | None) -> float | None:
    """Infinite where one of the outputs runs off."""
    return None if errors is None else float(np.mean(errors))


def _tuple(errors: Array | None) -> Errors | None:
    return None if errors is None else tuple(float(e) for e in errors)
