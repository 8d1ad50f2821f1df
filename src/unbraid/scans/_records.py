"""Records in a store, and digests of arrays."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..dynamics._records import Record, Records


def records_to_dict(records: Records) -> dict[str, Any]:
    """Return records as a document for a store."""
    items = [{"u": item.u, "y": item.y} for item in records.items]
    return {"items": items, "several": records.several, "flat": records.flat}


def records_from_dict(document: Mapping[str, Any]) -> Records:
    """Return the records in a document of a store."""
    items = tuple(Record(np.array(i["u"]), np.array(i["y"])) for i in document["items"])
    return Records(items, bool(document["several"]), bool(document["flat"]))


def digest_arrays(kind: str, arrays: Iterable[Any]) -> str:
    """Return a digest of the entries and shapes of arrays."""
    digest = hashlib.sha256(kind.encode())
    for array in arrays:
        entries = np.ascontiguousarray(array, dtype=float)
        digest.update(repr(entries.shape).encode() + entries.tobytes())
    return digest.hexdigest()
