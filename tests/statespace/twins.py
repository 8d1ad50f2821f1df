"""Simulated systems with a known nonlinearity."""

from __future__ import annotations

import numpy as np


def saturation(z):
    return np.tanh(1.5 * z)


def dead_zone(z):
    return np.sign(z) * np.maximum(np.abs(z) - 0.6, 0.0)


def twin(curve, n_samples=3000, seed=0, noise=0.0, amplitude=1.0):
    """Feedback through a static curve of the first state: u, y and the true z."""
    rng = np.random.default_rng(seed)
    u = amplitude * np.convolve(rng.standard_normal(n_samples + 4), np.ones(5) / 2.5, "valid")
    x, z, y = np.zeros(2), np.zeros(n_samples), np.zeros(n_samples)
    for t in range(n_samples):
        z[t], y[t] = x[0], x[0] + 0.3 * x[1]
        x = np.array(
            [0.7 * x[0] + 0.2 * x[1] + 0.5 * u[t] - 0.4 * curve(x[0]), 0.8 * x[1] + 0.3 * x[0]]
        )
    return u, y + noise * y.std() * rng.standard_normal(n_samples), z


def two_by_two(n_samples=3000, seed=0):
    """Two inputs, two outputs, one saturating actuator."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal((n_samples, 2))
    x, y = np.zeros(3), np.zeros((n_samples, 2))
    A = np.array([[0.8, 0.1, 0.0], [-0.1, 0.7, 0.2], [0.0, -0.2, 0.6]])
    B = np.array([[0.5, 0.0], [0.0, 0.4], [0.3, 0.2]])
    C = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, -0.5]])
    for t in range(n_samples):
        y[t] = C @ x
        x = A @ x + B @ [np.tanh(1.5 * u[t, 0]), u[t, 1]]
    return u, y


def hysteresis(n_samples=4000, seed=0):
    """A Bouc-Wen element with an oscillator."""
    rng = np.random.default_rng(seed)
    u = 1.5 * np.convolve(rng.standard_normal(n_samples + 9), np.ones(10) / 3, "valid")
    y = np.zeros(n_samples)
    position = speed = force = 0.0
    step = 0.05
    for t in range(n_samples):
        y[t] = position
        for _ in range(4):
            rate = speed - 0.8 * (abs(speed) * force + 0.5 * speed * abs(force))
            acceleration = u[t] - position - 0.4 * speed - 1.5 * force
            position += step * speed
            speed += step * acceleration
            force += step * rate
    return u, y


def curve_error(model, z_true, curve):
    """Largest deviation of the branch from the true curve, in % of the range of the curve.

    The arguments are matched along the trajectory. The curve is compared up to its scale and a
    linear part, which the linear model can absorb.
    """
    run = model.simulate_records(model.data)[0]
    z = np.column_stack([run.x[:-1], model.data.items[0].u]) @ model.function.V[:, 0]
    slope, level = np.polyfit(z_true, z, 1)
    inside = np.linspace(*np.quantile(z_true, [0.002, 0.998]), 201)
    found, truth = model.function.branches[0](slope * inside + level), curve(inside)
    rows = np.column_stack([found, inside, np.ones(inside.size)])
    fitted = rows @ np.linalg.lstsq(rows, truth, rcond=None)[0]
    return 100 * np.abs(fitted - truth).max() / np.ptp(truth)


def servo(n_samples=3000, seed=0, noise=0.002):
    """A position with viscous and Coulomb friction: an integrator with a small leak."""
    rng = np.random.default_rng(seed)
    u = np.repeat(rng.standard_normal(n_samples // 10 + 1), 10)[:n_samples]
    y = np.zeros(n_samples)
    position = speed = 0.0
    for t in range(n_samples):
        y[t] = position
        position += 0.1 * speed - 0.002 * position
        speed += 0.1 * (4 * u[t] - speed - 1.5 * np.tanh(20 * speed))
    return u, y + noise * y.std() * rng.standard_normal(n_samples)


def drive(n_samples=3000, seed=0, noise=0.005):
    """A drive of which the sensor shows the speed without its sign."""
    rng = np.random.default_rng(seed)
    u = np.convolve(rng.standard_normal(n_samples + 19), np.ones(20) / 5, "valid")
    y, speed = np.zeros(n_samples), 0.0
    for t in range(n_samples):
        y[t] = abs(speed)
        speed += 0.1 * (u[t] - speed - 0.1 * speed * abs(speed))
    return u, y + noise * y.std() * rng.standard_normal(n_samples)


def mirror(n_samples=4000, seed=0, noise=0.002):
    """Three piezo actuators with hysteresis that move a mirror: three angles."""
    rng = np.random.default_rng(seed)
    kernel = np.ones(8) / 3
    u = np.stack(
        [np.convolve(rng.standard_normal(n_samples + 7), kernel, "valid") for _ in range(3)], axis=1
    )
    mixing = np.array([[1.0, 0.2, -0.1], [-0.15, 0.9, 0.2], [0.1, -0.2, 1.1]])
    force, angle, y = np.zeros(3), np.zeros(3), np.zeros((n_samples, 3))
    last = np.zeros(3)
    for t in range(n_samples):
        y[t] = mixing @ angle
        rate = u[t] - last
        force = force + rate - 0.6 * (np.abs(rate) * force + 0.5 * rate * np.abs(force))
        angle = 0.6 * angle + 0.4 * (u[t] - 0.8 * force)
        last = u[t]
    return u, y + noise * y.std(axis=0) * rng.standard_normal(y.shape)


def noisy_filter(n_samples=300, seed=0, noise=0.3):
    """A linear system and much noise: branches have nothing to find."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(n_samples)
    y = np.convolve(u, 0.8 ** np.arange(40))[:n_samples]
    return u, y + noise * y.std() * rng.standard_normal(n_samples)
