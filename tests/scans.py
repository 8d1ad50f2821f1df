"""A small problem to scan, and what must not depend on where and when a scan ran."""

from unbraid.cases import toy_samples

TOY = toy_samples(60, random_state=0)
QUICK = {"n_branches": [1, 2, 3], "degree": 3}


def numbers(scan):
    """The table without its times, and all models."""
    untimed = [{k: v for k, v in row.items() if k != "seconds"} for row in scan.table()]
    return repr(untimed), [repr(row.document) for row in scan.rows]
