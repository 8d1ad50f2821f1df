"""How long to try: little in `make test`, much in `make soak`, which draws anew in every round."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

ROUND = int(os.environ.get("UNBRAID_SOAK", "0"))  # of a soak, from 1 on; 0: the short budget
MORE = 10  # times as many examples in a round of a soak


def examples(short: int) -> int:
    """How many to try where the short budget has so many."""
    return short * MORE if ROUND else short


def seeds(short: int) -> range:
    """That many seeds; others in every round of a soak."""
    n = examples(short)
    return range(ROUND * n, (ROUND + 1) * n)


def register() -> None:
    """Hypothesis without deadlines (the machine may be busy); the short budget always alike."""
    settings.register_profile(
        "unbraid",
        deadline=None,
        max_examples=examples(30),
        derandomize=not ROUND,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("unbraid")
