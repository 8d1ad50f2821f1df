"""Checks of the documents in a store."""

from __future__ import annotations

import numpy as np

from unbraid.scans._validation import find_outcome_defect, find_problem_defect


def test_finds_defects_of_documents():
    assert find_outcome_defect([1, 2]) == "it is not a document"
    problem = {"kind": "narx", "words": "", "coupled_parameters": None}
    problem |= {"reference_errors": [None, None]}
    uneven = {"items": [{"u": np.ones((3, 1)), "y": np.ones((4, 1))}]}
    assert find_problem_defect(problem) == ""
    assert find_problem_defect({**problem, "records": uneven}).startswith("records is invalid")
