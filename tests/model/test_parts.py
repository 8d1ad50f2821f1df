"""Parts of an output add up to it, and panels know where a point is."""

import numpy as np
import pytest

import unbraid
from unbraid.model._panels import ContourPanel, list_panels
from unbraid.model._parts import Part, divide_steps


def make_function(rng):
    points = rng.uniform([-2, 3, -2, -2], [2, 7, 2, 2], (300, 4))
    d = unbraid.decouple(law, points, n_branches="auto", random_state=0)
    return d, points


def law(p):
    first = np.tanh(p[:, 0] + 0.3 * p[:, 1]) + 0.5 * p[:, 2]
    return np.stack([first, p[:, 0] * p[:, 3] + p[:, 2] ** 2], axis=1)


@pytest.fixture(scope="module")
def fitted():
    return make_function(np.random.default_rng(0))


def test_steps_add_up_to_the_output_inside_and_outside(fitted):
    d, points = fitted
    description = d.describe()
    p = np.concatenate([points[:50], 3 * points[:50]])
    values = d(p)
    for o, output in enumerate(description.outputs):
        steps = divide_steps(d, description, output)
        total = sum(step.part.evaluate(d, description.form, p) for step in steps)
        np.testing.assert_allclose(total, values[:, o], atol=1e-9 * np.abs(values).max())
        assert steps[0].name == "offset"
        assert len({step.name for step in steps}) == len(steps)


def test_place_is_on_the_curve_of_the_panel(fitted):
    d, _ = fitted
    description = d.describe()
    panels, _ = list_panels(description, d.points)
    assert any(isinstance(panel, ContourPanel) for panel in panels)
    for panel in panels:
        x, y = (part.evaluate(d, description.form, d.points) for part in panel.place)
        if isinstance(panel, ContourPanel):
            np.testing.assert_allclose(np.stack([x, y], 1), panel.data, atol=1e-9)
        else:
            size = np.ptp(panel.y)
            np.testing.assert_allclose(y, np.interp(x, panel.x, panel.y), atol=1e-3 * size)


def test_parts_add_and_scale():
    total = Part({0: 1.0}, {1: 2.0}, {2: 3.0}, 4.0) + Part({0: 1.0}, {}, {2: -3.0}, 1.0) * 2.0
    assert (total.branches, total.directions) == ({0: 3.0}, {1: 2.0})
    assert (total.inputs, total.constant) == ({2: -3.0}, 6.0)
