"""Former names still work, with a warning that names the new one."""

import pytest

import unbraid
from unbraid import errors, solvers


@pytest.mark.parametrize("name", sorted(errors.FORMER_NAMES))
@pytest.mark.parametrize("module", [unbraid, errors])
def test_former_exceptions_warn(module, name):
    with pytest.warns(FutureWarning, match=f"{name}Error"):
        assert getattr(module, name) is getattr(unbraid, f"{name}Error")


@pytest.mark.parametrize("module", [unbraid, solvers])
def test_former_constraint_warns(module):
    with pytest.warns(FutureWarning, match="BranchConstraint"):
        assert module.Mould is unbraid.BranchConstraint


def test_unknown_names_are_attribute_errors():
    for module in (unbraid, errors, solvers):
        assert not hasattr(module, "NoSuchName")
