"""Branches as parts of a document, and back."""

from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import finite_array
from ..bases._files import basis_from_dict
from ..errors import InvalidFileError, InvalidOptionError
from ._branch import Branch
from ._curves import Curve, Expansion, Nonparametric


def branch_to_dict(branch: Branch) -> dict[str, Any]:
    """A document that ``branch_from_dict`` turns back into the branch."""
    curve = branch.curve
    if isinstance(curve, Expansion):
        content = {"basis": curve.basis.to_dict(), "coefficients": curve.coefficients}
    elif isinstance(curve, Nonparametric):
        content = {"abscissae": curve.abscissae, "values": curve.values, "slopes": curve.slopes}
    else:
        raise InvalidOptionError(f"a branch made of {type(curve).__name__} cannot be saved")
    return {
        "extrapolate": branch.extrapolate,
        "estimate": branch.estimate,
        "margin": branch.margin,
        "band": branch.band,
        **content,
    }


def branch_from_dict(document: Any) -> Branch:
    """The branch in a document, checked, or InvalidFileError."""
    try:
        curve: Curve
        if "basis" in document:
            basis = basis_from_dict(document["basis"])
            curve = Expansion(basis, _check_vector(document["coefficients"], basis.n_functions))
        else:
            abscissae = _check_vector(document["abscissae"])
            if abscissae.size < 2 or np.any(np.diff(abscissae) <= 0):
                raise ValueError("abscissae do not rise")
            size = abscissae.size
            curve = Nonparametric(
                abscissae,
                _check_vector(document["values"], size),
                _check_vector(document["slopes"], size),
            )
        margin = float(document.get("margin", 0.0))
        if not 0 <= margin < np.inf:
            raise ValueError(f"margin {margin}")
        return Branch(
            curve,
            document["extrapolate"],
            _check_two_columns("estimate", document["estimate"]),
            margin,
            _check_two_columns("band", document.get("band")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidFileError(f"the file holds a branch that makes no sense: {error}") from None


def _check_two_columns(name: str, value: Any) -> Array | None:
    if value is None:
        return None
    table = finite_array(name, value, ndim=2)
    if table.shape[1] != 2:
        raise ValueError(f"{name} needs two columns")
    return table


def _check_vector(value: Any, size: int | None = None) -> Array:
    vector = finite_array("numbers of a branch", value, ndim=1)
    if size is not None and vector.size != size:
        raise ValueError(f"{vector.size} numbers where {size} belong")
    return vector
