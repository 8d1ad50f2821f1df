"""Memory of freed arrays."""

import pytest

from unbraid._util import memory


@pytest.fixture
def untouched(monkeypatch):
    memory.keep_freed_memory.cache_clear()
    yield monkeypatch
    memory.keep_freed_memory.cache_clear()


def test_users_decide_by_the_variables_of_the_c_library(untouched):
    untouched.setenv("MALLOC_TRIM_THRESHOLD_", "100000")
    assert not memory.keep_freed_memory()


def test_other_systems_are_left_alone(untouched):
    untouched.setattr("sys.platform", "win32")
    assert not memory.keep_freed_memory()


def test_other_c_libraries_are_left_alone(untouched):
    untouched.setattr("ctypes.CDLL", lambda _: object())
    assert not memory.keep_freed_memory()
