"""PyTorch modules and functions of tensors."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

from sources.functions import check_against_differences
from sources.networks import POINTS
from unbraid import SamplingError, sample


@pytest.fixture
def torch():
    package = pytest.importorskip("torch")
    package.manual_seed(0)
    return package


def small(torch, dtype=None):
    layers = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    return layers.to(dtype or torch.float64)


def test_a_module_keeps_its_modes_and_gets_no_gradients(torch):
    net = torch.nn.Sequential(
        small(torch), torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(3, dtype=torch.float64)
    )
    net[0].eval()
    modes = [part.training for part in net.modules()]
    samples = check_against_differences(net, POINTS)
    assert samples.source == "exact, by torch (evaluation mode)"
    assert [part.training for part in net.modules()] == modes
    assert all(parameter.grad is None for parameter in net.parameters())
    assert int(net[2].num_batches_tracked) == 0
    assert sample(net.eval(), POINTS).source == "exact, by torch"


def test_restores_modes_after_an_error(torch):
    net = small(torch).train()
    with pytest.raises(SamplingError, match="multiplied"):
        sample(net, np.ones((5, 4)))
    assert all(part.training for part in net.modules())


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode", "enable_grad"])
def test_works_in_any_gradient_mode(torch, mode):
    net = small(torch)
    expected = sample(net, POINTS).jacobians
    with getattr(torch, mode)():
        np.testing.assert_array_equal(sample(net, POINTS).jacobians, expected)


@pytest.mark.parametrize(
    ("name", "room"), [("float32", 1e-5), ("float16", 2e-2), ("bfloat16", 1e-1)]
)
def test_estimates_the_accuracy_of_lower_precision(torch, name, room):
    net = small(torch)
    expected = sample(net, POINTS)
    samples = sample(net.to(getattr(torch, name)), POINTS)
    assert samples.values.dtype == samples.jacobians.dtype == np.float64
    assert samples.accuracy > 1e-8
    for found, wanted in (
        (samples.values, expected.values),
        (samples.jacobians, expected.jacobians),
    ):
        assert np.abs(found - wanted).max() < room * np.abs(wanted).max()


def test_differentiates_plain_functions_of_tensors(torch):
    net = small(torch, torch.float32)

    def table(p):
        return torch.stack([torch.sin(p[:, 0] * p[:, 1]), p[:, 0].exp()], dim=1)

    def point(p):
        return torch.stack([torch.sin(p[0] * p[1]), p[0].exp()])

    first, second = (
        check_against_differences(table, POINTS, lambda p: table(torch.as_tensor(p)).numpy()),
        sample(point, POINTS),
    )
    np.testing.assert_allclose(second.jacobians, first.jacobians, atol=1e-14)
    assert second.source == "exact, by torch"
    assert sample(point, POINTS[:1]).n_outputs == 2
    expected = sample(net, POINTS)
    for f in (lambda p: net(p), net.forward, lambda p: net(torch.as_tensor(p).float())):
        samples = sample(f, POINTS)
        assert samples.source == "exact, by torch"
        np.testing.assert_allclose(samples.jacobians, expected.jacobians, atol=1e-6)


def test_functions_that_leave_torch_are_differentiated_numerically(torch):
    net = small(torch)
    expected = sample(net, POINTS).jacobians

    def half_detached(p):
        y = net(p)
        return torch.cat([y[:, :2], y[:, 2:].detach()], dim=1)

    for f in (
        lambda p: net(torch.from_numpy(p)),
        lambda p: net(torch.tensor(p)),
        lambda p: net(p).detach(),
        half_detached,
    ):
        samples = sample(f, POINTS)
        assert samples.source == "by central differences"
        np.testing.assert_allclose(samples.jacobians, expected, atol=1e-7)


def test_differentiates_traced_modules(torch):
    net = small(torch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *a, **k: None)
        scripted = torch.jit.trace(net, torch.zeros(1, 2, dtype=torch.float64))
    np.testing.assert_allclose(
        sample(scripted, POINTS).jacobians, sample(net, POINTS).jacobians, atol=1e-12
    )


def test_differentiates_scripted_functions():
    torch = pytest.importorskip("torch")

    def bowl(p):
        return (p**2).sum(dim=1, keepdim=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch would rather have it exported
        scripted = torch.jit.script(bowl)
    samples = sample(scripted, POINTS)
    assert samples.source == "exact, by torch"
    np.testing.assert_allclose(samples.jacobians[:, 0], 2 * POINTS, rtol=1e-15)


def test_differentiates_a_module_of_one_point(torch):
    class Single(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W = torch.nn.Parameter(torch.randn(3, 2, dtype=torch.float64))

        def forward(self, p):
            return torch.tanh(self.W @ p)

    check_against_differences(Single(), POINTS[:5])


def test_evaluates_many_points_in_batches(torch):
    longest = []

    class Watching(torch.nn.Module):
        def forward(self, p):
            longest.append(len(p))
            return p**2

    samples = sample(Watching(), np.random.default_rng(0).standard_normal((9000, 2)))
    np.testing.assert_allclose(samples.jacobians[:, 0, 0], 2 * samples.points[:, 0])
    assert sorted(longest)[-2] <= 4096


@dataclass
class Output:
    logits: object
    hidden: object


@pytest.mark.parametrize(
    ("wrap", "message"),
    [
        (lambda y: {"logits": y, "hidden": y}, "'hidden'"),
        (lambda y: (y, y), "tuple of 2"),
        (lambda y: (y,), "tuple of 1"),
        (lambda y: Output(y, y), "Output with"),
        (lambda y: y.detach(), "no derivative"),
        (lambda y: "text", "returned str"),
    ],
)
def test_rejects_modules_with_unusable_outputs(torch, wrap, message):
    class Wrapped(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = small(torch, torch.float32)

        def forward(self, p):
            return wrap(self.inner(p))

    with pytest.raises(SamplingError, match=message):
        sample(Wrapped(), POINTS)


def test_a_selected_output_is_exact(torch):
    net = small(torch, torch.float32)
    picked = sample(lambda p: {"y": net(p)}["y"], POINTS)
    assert picked.source == "exact, by torch"


def test_rejects_modules_of_integers(torch):
    net = torch.nn.Sequential(torch.nn.Embedding(5, 2), torch.nn.Flatten())
    with pytest.raises(SamplingError, match="takes integers"):
        sample(net, POINTS)


def test_rejects_tensors_without_a_column():
    pytest.importorskip("torch")
    with pytest.raises(SamplingError, match="no outputs"):
        sample(lambda p: p.clone()[:, :0], POINTS)


def test_points_may_be_tensors(torch):
    samples = sample(small(torch), torch.as_tensor(POINTS, dtype=torch.float32).requires_grad_())
    assert samples.points.dtype == np.float64
