"""``load``: any model from its file."""

from pathlib import Path
from typing import Any

from ._util.documents import read_document
from ._util.validation import check_path
from .model._files import function_from_dict


def load(path: str | Path) -> Any:
    """Read a model that ``save`` wrote, or raise ``InvalidFileError``.

    Returns
    -------
    DecoupledFunction, NARX or StateSpace
        What the file holds.
    """
    document = read_document(check_path(path))
    if "narx" in document:
        from .narx._model import narx_from_dict

        return narx_from_dict(document, path)
    if "statespace" in document:
        from .statespace._model import statespace_from_dict

        return statespace_from_dict(document, path)
    return function_from_dict(document, path)
