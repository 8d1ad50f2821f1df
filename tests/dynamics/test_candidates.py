from dataclasses import replace

import numpy as np
import pytest

from unbraid.dynamics._candidates import (
    CandidateTable,
    ModelCandidate,
    choose_candidate,
    mark_chosen,
)


def make_row(error, size, n_branches=1, is_linear=False, seed=0):
    """A candidate whose squared errors have the given root mean square in %."""
    squared = np.random.default_rng(seed).standard_normal(100) ** 2
    squared *= (error / 100) ** 2 / squared.mean()
    return ModelCandidate(
        f"{size} parameters", n_branches, size, error, 1.0, is_linear, False, 1, squared
    )


LINEAR = make_row(20.0, 4, 0, is_linear=True)


def test_best_model_is_chosen():
    assert choose_candidate([LINEAR, make_row(5.0, 20), make_row(1.0, 30)]) == 2


def test_smaller_model_is_chosen_if_it_is_about_as_good():
    assert choose_candidate([LINEAR, make_row(1.04, 20), make_row(1.0, 30)]) == 1


def test_smaller_model_within_the_standard_error_is_chosen():
    smaller, best = make_row(1.08, 20, seed=1), make_row(1.0, 30, seed=2)
    assert choose_candidate([LINEAR, smaller, best]) == 1
    shifted = replace(smaller, squared_errors=1.08**2 * best.squared_errors)
    assert choose_candidate([LINEAR, shifted, best]) == 2  # no chance: every block is worse


def test_linear_model_is_chosen_unless_another_is_clearly_better():
    assert choose_candidate([LINEAR, make_row(19.5, 20)]) == 0


def test_exact_linear_model_is_chosen():
    assert choose_candidate([make_row(1e-6, 4, 0, is_linear=True), make_row(1e-9, 20)]) == 0


def test_coupled_and_diverging_models_are_not_chosen():
    diverged = ModelCandidate("diverged", 2, 5, np.inf, 1.0)
    assert choose_candidate([LINEAR, make_row(1.0, 20, None), diverged]) == 0


def test_nonlinear_model_is_chosen_if_the_linear_one_diverges():
    linear = ModelCandidate("linear", 0, 4, np.inf, 1.0, True)
    assert choose_candidate([linear, make_row(5.0, 20)]) == 1


def test_table_marks_the_chosen_row():
    table = CandidateTable(mark_chosen([LINEAR, make_row(1.0, 20)], 1), 0.2, ("a notice",), False)
    assert table.chosen.degrees_of_freedom == 20
    assert len(table) == 2
    assert table[1].fit == pytest.approx(99.0)
    lines = str(table).splitlines()
    assert lines[2].startswith("*")
    assert "time limit" in lines[3]
    assert lines[4] == "a notice"
    assert table._repr_html_().count("<tr>") == 3


def test_diverging_row_has_no_number():
    assert "diverges" in str(CandidateTable((ModelCandidate("a", 1, 2, np.inf, 1.0),), 0.2))
