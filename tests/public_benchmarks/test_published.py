"""Published results name tests that exist."""

import pytest

from unbraid.public_benchmarks import BENCHMARKS, PUBLISHED
from unbraid.public_benchmarks._published import BLACK_BOX, GREY_BOX, best_published

from .made_up import make_arrays


def test_every_benchmark_has_an_entry():
    assert list(PUBLISHED) == list(BENCHMARKS)


@pytest.mark.parametrize("name", [name for name, found in PUBLISHED.items() if found])
def test_tests_are_those_of_the_record(tmp_path, name):
    import numpy as np

    from unbraid.public_benchmarks import load

    np.savez(tmp_path / BENCHMARKS[name].files[0], **make_arrays(name))
    tests = set(load(name, tmp_path).tests)
    assert {test for result in PUBLISHED[name] for test in result.errors} <= tests


def test_the_best_is_a_black_box():
    best = best_published("cascaded-tanks", "test")
    assert (best.kind, best.errors["test"]) == (BLACK_BOX, 0.306)
    least = min(PUBLISHED["cascaded-tanks"], key=lambda result: result.errors["test"])
    assert least.kind == GREY_BOX
    assert best_published("silverbox", "arrow").model == "PNLSS"
    assert best_published("f16", "any") is None
