"""Names of inputs and outputs."""

from collections.abc import Sequence

from ..errors import InvalidOptionError


def resolve_names(
    what: str, names: Sequence[str] | None, count: int, letter: str
) -> tuple[str, ...]:
    """Names of the inputs or outputs: those given, or a letter and numbers."""
    if names is None:
        return (letter,) if count == 1 else tuple(f"{letter}{k + 1}" for k in range(count))
    if isinstance(names, str):
        raise InvalidOptionError(f"{what} is the text {names!r}: pass a list of {count} names")
    try:
        listed = tuple(str(name) for name in names)
    except TypeError:
        raise InvalidOptionError(f"{what} is {names!r}: pass a list of {count} names") from None
    if len(listed) != count or len(set(listed)) != count:
        raise InvalidOptionError(f"{what} is {list(listed)}: pass {count} different names")
    return listed


def select_outputs(
    outputs: Sequence[str], chosen: Sequence[str | int] | None
) -> tuple[str, ...] | None:
    """Names of chosen outputs, which are given by name or by number from 0.

    >>> select_outputs(["force", "heat"], [1])
    ('heat',)
    """
    if chosen is None:
        return None
    listed = [chosen] if isinstance(chosen, (str, int)) else list(chosen)
    named = [outputs[k] if isinstance(k, int) and 0 <= k < len(outputs) else k for k in listed]
    unknown = [name for name in named if name not in outputs]
    if unknown or not named:
        raise InvalidOptionError(f"outputs is {chosen!r}: choose from {list(outputs)}")
    return tuple(str(name) for name in named)
