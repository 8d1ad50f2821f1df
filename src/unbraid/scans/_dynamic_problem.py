"""What scans of dynamic models share: records, the words for them, the results."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._typing import Array
from .._util.validation import count_noun
from ..dynamics._records import Records
from ._records import records_to_dict


@dataclass(frozen=True)
class DynamicProblem(ABC):
    """A reference model, and the records to fit and to test others with."""

    reference: Any
    data: tuple[Any, Any]
    test: tuple[Any, Any] | None = None
    initial: int | None = None
    coupled_parameters: int | None = None
    kind: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def list_errors(self, model: Any) -> tuple[Array | None, ...]:
        """Return the free-run errors in % on the records and on the test records."""

    @property
    def records(self) -> Records:
        records: Records = self.reference.records(*self.data)
        return records

    def list_signals(self) -> list[Array]:
        """Return inputs and outputs of all records."""
        parts = [self.data, *([] if self.test is None else [self.test])]
        items = [item for part in parts for item in self.reference.records(*part).items]
        return [signal for item in items for signal in (item.u, item.y)]

    def document(self) -> dict[str, Any]:
        """Return the problem for a store."""
        records = self.records
        errors = self.list_errors(self.reference)
        return {
            "kind": self.kind,
            "words": (
                f"{self.title} model, {count_noun(records.n_inputs, 'input')}, "
                f"{count_noun(records.n_outputs, 'output')}, "
                f"{count_noun(sum(map(len, records.items)), 'sample')}"
            ),
            "coupled_parameters": self.coupled_parameters,
            "reference_errors": [None if e is None else float(np.mean(e)) for e in errors],
            "records": records_to_dict(records),
        }


def describe_result(
    size: tuple[int, int, int],
    coupled_parameters: int | None,
    errors: Iterable[Array | None],
    mean: Callable[[Array], Any] = np.mean,
) -> dict[str, Any]:
    """Return branches, parameters, degrees of freedom, and errors with their mean."""
    n_branches, n_parameters, degrees_of_freedom = size
    result = {
        "n_branches": n_branches,
        "n_parameters": n_parameters,
        "degrees_of_freedom": degrees_of_freedom,
        "compression": None if coupled_parameters is None else coupled_parameters / n_parameters,
    }
    for name, error in zip(("fitted_error", "held_out_error"), errors, strict=True):
        if error is not None:
            result |= {name: float(mean(error)), f"{name}s": error.tolist()}
    return result
