"""The front door: all but the checks is loaded when a report is written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._util.atomic import write_whole
from ..errors import InvalidFile, InvalidOption


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
    from ._content import whole_page

    page = whole_page(result, title, names=names, outputs=outputs, data=data)
    write_whole((target, page.encode()))
    return target


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
