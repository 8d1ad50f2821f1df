"""Cholesky factors of stacks of matrices, against dense solutions."""

import numpy as np

from unbraid.solvers.varpro._definite import (
    factorise,
    solve_definite,
    solve_factorised,
    whiten_rows,
)


def draw_definite(rng, n_matrices=3, size=6):
    roots = rng.normal(size=(n_matrices, size, 2 * size))
    return roots @ roots.swapaxes(1, 2)


def test_solves_as_numpy_does():
    rng = np.random.default_rng(0)
    matrices, right = draw_definite(rng), rng.normal(size=(3, 6, 2))
    np.testing.assert_allclose(
        solve_definite(matrices, right), np.linalg.solve(matrices, right), rtol=1e-10
    )


def test_factor_serves_any_right_hand_side():
    rng = np.random.default_rng(1)
    matrices = draw_definite(rng)
    factors = factorise(matrices)
    np.testing.assert_allclose(factors @ factors.swapaxes(1, 2), matrices, rtol=1e-10)
    for columns in (1, 5):
        right = rng.normal(size=(3, 6, columns))
        np.testing.assert_allclose(matrices @ solve_factorised(factors, right), right, atol=1e-10)


def test_whitened_rows_have_the_products_of_the_inverse():
    rng = np.random.default_rng(2)
    matrices, rows = draw_definite(rng), rng.normal(size=(3, 4, 6))
    white = whiten_rows(factorise(matrices), rows)
    expected = rows @ np.linalg.solve(matrices, rows.swapaxes(1, 2))
    np.testing.assert_allclose(white @ white.swapaxes(1, 2), expected, rtol=1e-9)


def test_damps_a_singular_system():
    matrices = np.stack([np.eye(2), np.ones((2, 2))])
    right = np.array([[[1.0], [2.0]], [[1.0], [1.0]]])
    found = solve_definite(matrices, right)
    np.testing.assert_allclose(found[0], [[1], [2]], rtol=1e-9)
    np.testing.assert_allclose(matrices[1] @ found[1], right[1], rtol=1e-9)


def test_zero_matrix_has_no_solution():
    assert np.all(np.isnan(solve_definite(np.zeros((1, 2, 2)), np.ones((1, 2, 1)))))
