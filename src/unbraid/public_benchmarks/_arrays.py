"""Checked access to the arrays of a benchmark file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._typing import Array
from .._util.validation import finite_array
from ..cases import Recording
from ..errors import InvalidFileError, UnbraidError
from ..sources._files import describe_arrays


@dataclass(frozen=True, eq=False)
class NamedArrays:
    """The arrays of one or several files, and where they come from."""

    arrays: Mapping[str, Any]
    origin: str

    def find(self, *names: str) -> str | None:
        """The first of the names that there is."""
        return next((name for name in names if name in self.arrays), None)

    def take(self, *names: str) -> Array:
        """The array under the first of the names that there is, checked to be finite."""
        name = self.find(*names)
        if name is None:
            raise InvalidFileError(
                f"{self.origin} holds {describe_arrays(self.arrays)}: {' or '.join(names)} is "
                f"missing"
            )
        try:
            return finite_array(repr(name), self.arrays[name])
        except UnbraidError as error:
            raise InvalidFileError(f"{self.origin}: {error}") from None

    def take_signal(self, *names: str, size: int | None = None) -> Array:
        """A signal, (T,), of a given number of samples if that is known."""
        array = self.take(*names)
        if array.size != max(array.shape, default=0) or array.size < 2:
            raise InvalidFileError(
                f"{self.origin}: {names[0]} has shape {array.shape}, not that of one signal"
            )
        if size is not None and array.size != size:
            raise InvalidFileError(
                f"{self.origin}: {names[0]} has {array.size} samples, the benchmark {size}"
            )
        return array.ravel()

    def take_pair(
        self, inputs: tuple[str, ...], outputs: tuple[str, ...], size: int | None = None
    ) -> Recording:
        """Input and output of one experiment."""
        u, y = (self.take_signal(*names, size=size) for names in (inputs, outputs))
        if u.size != y.size:
            raise InvalidFileError(
                f"{self.origin}: {inputs[0]} has {u.size} samples, {outputs[0]} {y.size}"
            )
        return Recording(u, y)

    def take_number(self, *names: str) -> float | None:
        """A positive number, or None where there is none."""
        if self.find(*names) is None:
            return None
        array = self.take(*names)
        if array.size != 1 or array.item() <= 0:
            raise InvalidFileError(f"{self.origin}: {names[0]} is no positive number")
        return float(array.item())
