"""The front door: what kind of result it is, and writing the page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import InvalidFile, InvalidOption
from ..function import DecoupledFunction
from ..narx.model import NARX
from ..storage import _replace
from .claim import claim, verdict
from .dynamics import narx_view
from .markup import Markup, shortened, tag
from .model_section import model_section
from .page import page
from .scan_section import scan_body, scan_claim
from .scan_view import scan_view
from .views import ModelView, function_view, regressor_view

LONGEST_TITLE = 160


def report(
    result: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    data: Any = None,
) -> Path:
    """Write a page that shows a result: one HTML file, which needs no network.

    Parameters
    ----------
    result : DecoupledFunction, NARX, DecoupledRegressor or Scan
        Of a scan, the page lets one pick the model to look at.
    path : path
        A file that is there is replaced.
    title : str, optional
    names, outputs : list of str, optional
        Names of the inputs and outputs. By default p1, p2, ... and f1, f2, ...; the lags of a NARX
        model; the columns that a regressor was fitted to.
    data : Samples or (points, values), optional
        Where residuals are taken, instead of at the points that the model keeps; ``(X, y)`` for a
        regressor, and for NARX models ``(u, y)``, the record that is simulated.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile, unbraid
    >>> from unbraid.report import report
    >>> samples = unbraid.cases.toy_samples(100, random_state=0)
    >>> d = unbraid.decouple(samples, n_branches=3, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(d, f"{folder}/toy.html", title="The toy problem").name
    'toy.html'
    """
    target = _checked_path(path)
    if title is not None and not isinstance(title, str):
        raise InvalidOption(f"title must be text, got {title!r}")
    options = {"names": names, "outputs": outputs, "data": data}
    kind, content = _content(result, options)
    heading = shortened(kind if title is None else title, LONGEST_TITLE)
    head = tag("header", tag("p", "unbraid report", class_="brand"), tag("h1", heading), content[0])
    _replace(target, page(heading, head, tag("main", content[1])).encode())
    return target


def _content(result: Any, options: dict[str, Any]) -> tuple[str, tuple[Any, Any]]:
    """What the result is called; the claim for the header, and the body."""
    if isinstance(result, DecoupledFunction):
        return "Decoupled function", _single(function_view(result, **options))
    if isinstance(result, NARX):
        return "Decoupled NARX model", _single(narx_view(result, **options))
    if hasattr(result, "decoupled_"):
        return "Decoupled regression", _single(regressor_view(result, **options))
    if all(hasattr(result, name) for name in ("rows", "pareto", "best_row", "reference_errors")):
        view = scan_view(result, **options)
        return "Scan of decoupled models", (scan_claim(view), scan_body(view))
    if type(result).__name__ == "DecoupledRegressor":
        raise InvalidOption("this DecoupledRegressor is not fitted: call fit(X, y) first")
    raise InvalidOption(
        f"there is no report of a {type(result).__name__}: pass a DecoupledFunction, a NARX model, "
        f"a fitted DecoupledRegressor or a Scan"
    )


def _single(view: ModelView) -> tuple[list[Markup | None], Markup]:
    return [tag("p", claim(view), class_="claim"), verdict(view)], model_section(view)


def _checked_path(path: Any) -> Path:
    try:
        target = Path(path)
    except TypeError:
        raise InvalidOption(f"path must say where to write the page, got {path!r}") from None
    if "\0" in str(target):
        raise InvalidFile(f"cannot write {str(target)!r}: a path cannot hold the character 0")
    if target.is_dir() or not target.name:
        raise InvalidFile(f"cannot write {target}: it is a folder; add the name of a file")
    return target
