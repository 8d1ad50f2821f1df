"""The function ``report``.

The modules of the page are imported when a page is written.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._util.atomic import write_files
from ..errors import InvalidFileError, InvalidOptionError


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
    result : DecoupledFunction, NARX, StateSpace, DecoupledRegressor or Scan
        The page of a scan lets the reader select the model to show, and compare models.
    path : path
        An existing file is replaced.
    title : str, optional
    names, outputs : list of str, optional
        Names of the inputs and outputs. By default p1, p2, ... and f1, f2, ...; for a NARX model
        its lags; for a state-space model u and y; for a regressor the columns of its data.
    data : Samples or (points, values), optional
        Data for the residuals, instead of the points that the model stores; ``(X, y)`` for a
        regressor, and ``(u, y)``, the record to simulate, for a dynamic model.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile, unbraid
    >>> samples = unbraid.cases.toy_samples(100, random_state=0)
    >>> d = unbraid.decouple(samples, n_branches=3, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     unbraid.report(d, f"{folder}/toy.html", title="The toy problem").name
    'toy.html'
    """
    target = _check_path(path)
    if title is not None and not isinstance(title, str):
        raise InvalidOptionError(f"title must be text, got {title!r}")
    from ._page import write_page

    page = write_page(result, title, names=names, outputs=outputs, data=data)
    write_files((target, page.encode()))
    return target


def _check_path(path: Any) -> Path:
    try:
        target = Path(path)
    except TypeError:
        raise InvalidOptionError(f"path must say where to write the page, got {path!r}") from None
    if "\0" in str(target):
        raise InvalidFileError(f"cannot write {str(target)!r}: a path cannot hold the character 0")
    if target.is_dir() or not target.name:
        raise InvalidFileError(f"cannot write {target}: it is a folder; add the name of a file")
    return target
