"""The PyTorch export: values, derivatives, training, copies."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from export_helpers import (
    BASES,
    FUNCTIONS,
    LINEAR_CASES,
    MIXED,
    assert_agrees,
    every_case,
    make_function,
    sample_points,
    single_precision_points,
    single_tolerance,
)
from unbraid.export import to_torch


@every_case
def test_values_and_jacobians_agree(case):
    torch = pytest.importorskip("torch")
    d = FUNCTIONS[case]
    p = sample_points(d)
    module = to_torch(d)
    with torch.no_grad():
        assert_agrees(module(torch.tensor(p)), d(p))
        assert_agrees(module(torch.tensor(p[0])), d(p)[0])
    p = p[:150]  # not at breaks, where a corner has two slopes
    jacobian = torch.func.vmap(torch.func.jacrev(module))(torch.tensor(p))
    assert_agrees(jacobian.detach(), d.jacobian(p), 1e-11)


@pytest.mark.parametrize("case", LINEAR_CASES)
def test_slopes_at_the_edges_agree(case):
    torch = pytest.importorskip("torch")
    for branch, module in zip(
        FUNCTIONS[case].branches, to_torch(FUNCTIONS[case]).branches, strict=True
    ):
        z = torch.tensor(branch.edges, requires_grad=True, dtype=torch.float64)
        (slope,) = torch.autograd.grad(module(z).sum(), z)
        assert_agrees(slope, branch.derivative(z.detach().numpy()), 1e-11)


@every_case
def test_single_precision_agrees(case):
    torch = pytest.importorskip("torch")
    d = FUNCTIONS[case]
    p = single_precision_points(d)
    with torch.no_grad():
        for module in (to_torch(d, dtype=torch.float32), to_torch(d).to(torch.float32)):
            values = module(torch.tensor(p))
            assert values.dtype == torch.float32
            assert_agrees(values, d(p), single_tolerance(case))


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("way", ["linear", "basis"])
def test_parameter_gradients_match_differences(basis, way):
    torch = pytest.importorskip("torch")
    d = FUNCTIONS[f"{basis}_{way}"]
    module = to_torch(d)
    p = torch.tensor(sample_points(d)[:150:5])
    parameters = dict(module.named_parameters())
    dice = torch.Generator().manual_seed(1)
    direction = {
        name: torch.randn(value.shape, generator=dice, dtype=value.dtype)
        for name, value in parameters.items()
    }
    assert all(value.requires_grad for value in parameters.values())

    def moved(step):
        numbers = {name: value + step * direction[name] for name, value in parameters.items()}
        return (torch.func.functional_call(module, numbers, (p,)) ** 2).sum()

    gradients = torch.autograd.grad(moved(0.0), list(parameters.values()))
    along = sum((g * direction[name]).sum() for name, g in zip(parameters, gradients, strict=True))
    step = 1e-6
    with torch.no_grad():
        measured = (moved(step) - moved(-step)) / (2 * step)
        np.testing.assert_allclose(along, measured, rtol=1e-6)
    assert all(torch.any(gradient != 0) for gradient in gradients)


def test_training_reduces_the_loss():
    torch = pytest.importorskip("torch")
    d = FUNCTIONS["mixed_linear"]
    module = to_torch(d)
    p = torch.tensor(sample_points(d)[:100])
    optimiser = torch.optim.Adam(module.parameters(), lr=0.01)
    losses = []
    for _ in range(10):
        optimiser.zero_grad()
        loss = ((module(p) - torch.sin(p[:, :2])) ** 2).mean()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("way", ["linear", "basis"])
def test_trained_branch_stays_in_its_basis(basis, way):
    """Splines stay smooth and extrapolate linearly from wherever the edge has moved."""
    torch = pytest.importorskip("torch")
    branch = FUNCTIONS[f"{basis}_{way}"].branches[1]
    module = to_torch(FUNCTIONS[f"{basis}_{way}"]).branches[1]
    dice = torch.Generator().manual_seed(2)
    z = np.linspace(-6, 6, 301)
    with torch.no_grad():
        for value in module.parameters():
            value += 0.1 * torch.randn(value.shape, generator=dice, dtype=value.dtype)
        expected = replace(branch, curve=curve_with(branch.curve, module.curve))(z)
        assert np.abs(expected - branch(z)).max() > 0.01
        assert_agrees(module(torch.tensor(z)), expected)


def curve_with(curve, module):
    """The curve with the current parameters of a module."""
    numbers = {name: value.detach().numpy() for name, value in module.named_parameters()}
    if "sines" in numbers:
        waves = np.stack([numbers["sines"], numbers["cosines"]], axis=1).ravel()
        numbers = {"coefficients": np.append(numbers["line"], waves)}
    if "heights" in numbers:
        numbers = {"coefficients": numbers["heights"]}
    return replace(curve, **numbers)


def test_modules_survive_copy_pickle_and_state_dict(tmp_path):
    torch = pytest.importorskip("torch")
    d = FUNCTIONS["mixed_linear"]
    p = torch.tensor(sample_points(d))
    module = to_torch(d)
    other = to_torch(make_function(MIXED, "linear"))
    with torch.no_grad():
        for value in other.parameters():
            value.zero_()
        other.load_state_dict(module.state_dict())
        for twin in (other, copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
            np.testing.assert_array_equal(twin(p), module(p))
