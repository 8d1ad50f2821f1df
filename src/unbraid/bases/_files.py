"""Bases from their description in a file."""

from typing import Any

import numpy as np

from ..errors import InvalidFileError
from ._base import Basis
from ._fourier import Fourier
from ._polynomial import Polynomial
from ._rbf import RBF
from ._signed_square import SignedSquare
from ._spline import BSpline, PiecewiseLinear

KINDS: dict[str, type[Basis]] = {
    kind.__name__: kind
    for kind in (Polynomial, BSpline, PiecewiseLinear, Fourier, RBF, SignedSquare)
}


def basis_from_dict(description: Any) -> Basis:
    """The basis that ``to_dict`` described, or InvalidFileError."""
    try:
        arguments = dict(description)
        kind = KINDS[arguments.pop("kind")]
        if arguments.get("knots") is not None:
            arguments["knots"] = tuple(float(k) for k in arguments["knots"])
        basis = kind(**arguments)
        low, high = basis.interval
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ValueError(f"interval ({low}, {high})")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidFileError(f"the file describes no basis that unbraid knows: {error}") from None
    return basis
