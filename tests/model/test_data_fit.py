"""Error and noise of a function that was fitted to data."""

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from unbraid.model._data_fit import DataFit, make_data_fits, remove_noise


@pytest.fixture(scope="module")
def function():
    points = unbraid.sampling.uniform(100, [-1, -1], [1, 1], random_state=0)
    d = unbraid.decouple(
        lambda p: np.column_stack([p[:, 0] ** 2, p[:, 1] ** 3]),
        points,
        n_branches=2,
        random_state=0,
    )
    d = replace(d, held_out_error=None, fitted_error=np.array([20.0, 20.0]))
    return d.named(outputs=["force", "heat"])


@pytest.mark.parametrize(
    ("error", "noise", "is_noise"),
    [(20.0, 20.0, True), (20.0, 18.0, True), (20.0, 15.0, False), (0.05, 0.0, True)],
)
def test_compares_error_and_noise(error, noise, is_noise):
    fit = DataFit(error, noise)
    assert fit.is_noise == is_noise
    assert fit.r2 == pytest.approx(1 - (error / 100) ** 2)
    assert ("above the noise" in fit.words) == (not is_noise)


def test_r2_is_not_rounded_to_1():
    assert "R² = 0.9998;" in DataFit(1.4, 1.4).words
    assert "no noise" in DataFit(0.01, 0.0).words


def test_outputs_that_are_constant_have_no_fit():
    errors, noise = np.array([np.inf, 0.0, 3.0]), np.array([0.0, 0.0, 2.0])
    assert list(make_data_fits(errors, noise, ["a", "b", "c"])) == ["c"]
    assert make_data_fits(errors, None, ["a", "b", "c"]) == {}


def test_noise_is_removed_from_errors():
    assert remove_noise(np.array([np.inf, 5.0]), np.array([1.0, 3.0])).tolist() == [np.inf, 4.0]
    assert remove_noise(np.array([5.0]), None).tolist() == [5.0]


def test_description_compares_with_the_noise(function):
    plain = function.describe()
    assert plain.data_fits == {}
    assert "R² =" not in str(plain).split("share")[0]
    assert plain.caveat.startswith("Read this with care")
    noisy = replace(function, noise=np.array([20.0, 5.0])).describe()
    assert noisy.fit_sentences == (
        "force: R² = 0.960; the error is that of the noise (20 % of the spread).",
        "heat: R² = 0.960; the error (20 % of the spread) is above the noise (5.0 %).",
    )
    assert noisy.sentences[0].endswith("; 4 % noise.")
    assert noisy.sentences[1].endswith("; 4 % unexplained.")
    assert all(line in str(noisy) for line in noisy.fit_sentences)
    assert "above the noise" in noisy._repr_html_()


def test_error_that_is_noise_needs_no_care(function):
    assert replace(function, noise=np.array([20.0, 20.0])).describe().caveat == ""


def test_says_first_that_an_output_is_mostly_noise(function):
    d = replace(function, fitted_error=np.array([90.0, 1.0]), noise=np.array([90.0, 1.0]))
    assert d.describe().sentences[0].startswith("force is mostly noise (81 %), plus a quadratic")


def test_noise_is_kept_in_files(function, tmp_path):
    d = replace(function, noise=np.array([20.0, 5.0]))
    assert unbraid.load(d.save(tmp_path / "d.json")).noise.tolist() == [20.0, 5.0]


def test_rows_held_out_are_compared_with_rows_fitted(function):
    noise = np.array([5.0, 5.0])
    d = replace(function, noise=noise, held_out_error=np.array([60.0, 21.0]))
    found = d.describe()
    assert found.caveat.startswith("This description must not be read")
    assert found.fit_sentences == (
        "force: R² = 0.960 on the rows fitted; the error on others is 60 %.",
        "heat: R² = 0.960; the error (20 % of the spread) is above the noise (5.0 %).",
    )
    assert found.remainder == pytest.approx({"force": 0.36, "heat": 0.04})


def test_chance_is_no_misfit():
    error, noise = np.array([21.0]), np.array([20.0])
    assert remove_noise(error, noise, 100).tolist() == [0.0]
    assert remove_noise(error, noise, 1000)[0] == pytest.approx(np.sqrt(41))


def test_few_points_are_said_first():
    points = unbraid.sampling.uniform(15, [-1] * 4, [1] * 4, random_state=0)
    d = unbraid.decouple(lambda p: p[:, 0] ** 2, points, n_branches=1, random_state=0)
    text = "Read this with care: 15 points are too few to know the error at others."
    assert d.describe().words.startswith(text)


def test_linear_function_that_explains_nothing_is_described():
    points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    d = unbraid.decouple(lambda p: p[:, 0] + p[:, 1], points, n_branches=1, random_state=0)
    words = replace(d, held_out_error=np.array([200.0])).describe().words
    assert words.endswith("is a linear function of p1 (0 %); 100 % unexplained.")
