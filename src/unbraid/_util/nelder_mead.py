"""Nelder and Mead's simplex search between bounds, for functions of few variables.

The steps are those of ``scipy.optimize.minimize(method="Nelder-Mead")``, on lists instead of
arrays: for one or two variables that is several times faster, and nothing is imported.
"""

from collections.abc import Callable, Sequence

Point = list[float]

RELATIVE_STEP, STEP_FROM_ZERO = 0.05, 0.00025  # from the first corner to the others
TOLERANCE = 1e-4  # of the corners and of the values


def minimise_simplex(
    function: Callable[[Point], float],
    start: Sequence[float],
    bounds: Sequence[tuple[float, float]],
    max_iterations: int = 200,
) -> Point:
    """The point between the bounds at which the function is smallest.

    >>> [round(x, 3) for x in minimise_simplex(lambda x: (x[0] - 2) ** 2, [1.0], [(0.0, 5.0)])]
    [2.0]
    """

    def evaluate(point: Point) -> tuple[float, Point]:
        inside = [min(max(x, low), high) for x, (low, high) in zip(point, bounds, strict=True)]
        return function(inside), inside

    corners = sorted((evaluate(x) for x in _first_corners(start, bounds)), key=_value)
    for _ in range(max_iterations - 1):
        if _is_small(corners):
            break
        best, worst = corners[0], corners[-1]
        centre = [sum(xs) / len(start) for xs in zip(*(x for _, x in corners[:-1]), strict=True)]

        def move(
            share: float, centre: Point = centre, worst: Point = worst[1]
        ) -> tuple[float, Point]:
            """Evaluate the centre plus a share of its distance from the worst corner."""
            pairs = zip(centre, worst, strict=True)
            return evaluate([(1 + share) * c - share * x for c, x in pairs])

        reflected = move(1.0)
        if reflected[0] < best[0]:
            found = min(reflected, move(2.0), key=_value)
        elif reflected[0] < corners[-2][0]:
            found = reflected
        else:
            outside = reflected[0] < worst[0]
            found = move(0.5 if outside else -0.5)
            if found[0] > reflected[0] if outside else found[0] >= worst[0]:
                corners[1:] = [evaluate(_halfway(best[1], x)) for _, x in corners[1:]]
                corners.sort(key=_value)
                continue
        corners[-1] = found
        corners.sort(key=_value)
    return corners[0][1]


def _first_corners(start: Sequence[float], bounds: Sequence[tuple[float, float]]) -> list[Point]:
    """The start, and one step from it along each variable, reflected at the upper bounds."""
    corners = [list(start)]
    for k, x in enumerate(start):
        corner = list(start)
        corner[k] = (1 + RELATIVE_STEP) * x if x != 0 else STEP_FROM_ZERO
        highest = bounds[k][1]
        corner[k] = 2 * highest - corner[k] if corner[k] > highest else corner[k]
        corners.append(corner)
    return corners


def _is_small(corners: list[tuple[float, Point]]) -> bool:
    """Whether all corners and their values are close to those of the best one."""
    value, best = corners[0]
    return all(
        abs(value - other) <= TOLERANCE
        and all(abs(a - b) <= TOLERANCE for a, b in zip(best, point, strict=True))
        for other, point in corners[1:]
    )


def _halfway(a: Point, b: Point) -> Point:
    return [x + 0.5 * (y - x) for x, y in zip(a, b, strict=True)]


def _value(corner: tuple[float, Point]) -> float:
    return corner[0]
