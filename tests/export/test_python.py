"""The Python export, run by a Python that sees nothing but its standard library."""

import json
import subprocess
import sys

import numpy as np
import pytest

from export_helpers import FUNCTIONS, assert_agrees, every_case, sample_points
from step_models import CASES, LONG, every_model
from unbraid import InvalidOptionError
from unbraid.export import to_python

RUN = """\
import importlib.util, json, sys

def load(name):
    spec = importlib.util.spec_from_file_location(name, name + ".py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

def run(name, case):
    model = load(name).Model(case["x0"])
    for u, y in zip(case["u"], case["y"]):
        model.push(u, y)
    return [model.step(u) for u in case["u"][len(case["y"]):]]

def evaluate(name, points):
    function = load(name).decoupled
    return [function(p) for p in points]

with open("work.json") as file:
    work = json.load(file)
results = {name: run(name, case) for name, case in work["models"].items()}
results.update({name: evaluate(name, points) for name, points in work["functions"].items()})
with open("results.json", "w") as file:
    json.dump(results, file)
assert not {"numpy", "scipy", "unbraid"} & set(sys.modules)
"""


def run_python(folder, cases, functions):
    """Results of all models and functions from one bare process."""
    for name, case in cases.items():
        to_python(case.model, folder / f"{name}.py")
    for name, d in functions.items():
        to_python(d, folder / f"{name}.py")
    work = {
        "models": {
            name: {
                "u": case.u.tolist(),
                "y": case.y[: case.n_pushed].tolist(),
                "x0": None if case.is_narx else case.start.tolist(),
            }
            for name, case in cases.items()
        },
        "functions": {name: sample_points(d).tolist() for name, d in functions.items()},
    }
    (folder / "work.json").write_text(json.dumps(work))
    (folder / "run.py").write_text(RUN)
    command = [sys.executable, "-I", "-S", "-W", "error", "run.py"]
    subprocess.run(command, cwd=folder, check=True)
    return json.loads((folder / "results.json").read_text())


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    functions = {f"function_{name}": d for name, d in FUNCTIONS.items()}
    return run_python(tmp_path_factory.mktemp("python"), CASES, functions)


@pytest.fixture
def make_model():
    """Makes an object of the class in the file of a model."""

    def make(model, **options):
        space = {}
        exec(to_python(model, **options), space)
        return space["Model"]()

    return make


@every_case
def test_functions_agree(results, case):
    d = FUNCTIONS[case]
    expected = d(sample_points(d))
    assert_agrees(np.reshape(results[f"function_{case}"], expected.shape), expected)


@every_model
def test_steps_equal_the_simulation(results, case):
    CASES[case].assert_agrees(results[case])


@pytest.mark.slow
def test_long_records_agree(tmp_path):
    results = run_python(tmp_path, LONG, {})
    for name, case in LONG.items():
        case.assert_agrees(results[name])


def test_reset_returns_to_the_initial_state(make_model):
    case = CASES["no_curves"]
    model = make_model(case.model, x0=case.start)
    first = [model.step(u) for u in case.u]
    model.reset()
    np.testing.assert_array_equal([model.step(u) for u in case.u], first)
    model.reset([0, 0, 0])
    assert model.state == [0.0, 0.0, 0.0]
    case.assert_agrees(first)


def test_names_and_sampling_time_are_attributes(make_model):
    model = make_model(CASES["channels"].model)
    assert model.input_names == list(CASES["channels"].step.input_names)
    assert model.sampling_time is None
    assert make_model(CASES["curves"].model).sampling_time == 0.05
    assert "# Sampling time: 0.05 s\n" in to_python(CASES["curves"].model)


def test_wrong_numbers_of_inputs_are_refused(make_model):
    model = make_model(CASES["channels"].model)
    for u in (1.0, [1.0], [1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match="u has"):
            model.step(u)
    with pytest.raises(ValueError, match="x0 has 1"):
        model.reset([1.0])


def test_one_signal_is_a_number(make_model):
    model = make_model(CASES["plain"].model)
    assert isinstance(model.step(0.5), float)
    assert model.step(0.5) != make_model(CASES["plain"].model).step([0.5])


@pytest.mark.parametrize("case", ["fourier_basis", "bumps_basis", "cubic_linear"])
def test_infinite_arguments_are_no_error(case):
    space = {}
    exec(to_python(FUNCTIONS[case]), space)
    branch = FUNCTIONS[case].branches[0]
    for z in (np.inf, -np.inf, np.nan):
        np.testing.assert_equal(space["_branch_1"](float(z)), float(branch(z)))


@pytest.mark.parametrize("name", ["", "2fast", "a b", "class", "lambda", "float", "größe", "_x", 3])
def test_rejects_names_that_python_cannot_use(name):
    for model in (FUNCTIONS["cubic_linear"], CASES["plain"].model):
        with pytest.raises(InvalidOptionError, match="in Python"):
            to_python(model, name=name)
