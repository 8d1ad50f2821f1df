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
