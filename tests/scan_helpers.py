"""A small problem to scan, and the results that must not depend on where and when a scan ran."""

from unbraid.cases import toy_samples

TOY = toy_samples(60, random_state=0)
CUBIC_GRID = {"n_branches": [1, 2, 3], "degree": 3}
FEW_STARTS = {"n_starts": 2, **CUBIC_GRID}
TWO_METHODS = {"method": ["varpro", "implicit"], **FEW_STARTS}


def untimed_results(scan):
    """Return the table without its times, and all models."""
    untimed = [{k: v for k, v in row.items() if k != "seconds"} for row in scan.table()]
    return repr(untimed), [repr(row.document) for row in scan.rows]
