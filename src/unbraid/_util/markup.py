"""HTML as nested calls; everything that is not Markup is escaped."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

VOID_ELEMENTS = frozenset({"meta", "br", "hr", "wbr"})
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # Unicode categories
JOINERS = "\u200c\u200d"  # invisible, but some scripts need them
NAME_LENGTH = 28  # characters of a name that are shown


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """Return an HTML element; attributes that are None or False are omitted.

    Underscores in the names of attributes become hyphens.

    >>> tag("a", "1 < 2", tag("b", "!"), href="#x", class_="note", aria_label='say "hi"')
    '<a href="#x" class="note" aria-label="say &quot;hi&quot;">1 &lt; 2<b>!</b></a>'
    """
    inside = "".join(
        f" {key.rstrip('_').replace('_', '-')}"
        + ("" if value is True else f'="{escape(clean(str(value)))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in VOID_ELEMENTS:
        return Markup(f"<{name}{inside}>")
    return Markup(f"<{name}{inside}>{join_children(children)}</{name}>")


def join_children(children: Iterable[Any]) -> Markup:
    """Return markup as it is and text escaped; lists are flattened, None is left out."""
    parts: list[str] = []
    for child in children:
        if isinstance(child, Markup):
            parts.append(child)
        elif isinstance(child, (list, tuple)):
            parts.append(join_children(child))
        elif child is not None:
            parts.append(escape(clean(str(child)), quote=False))
    return Markup("".join(parts))


def clean(text: str) -> str:
    """Return text without invisible characters, such as direction marks.

    >>> clean("a\\u202eb\\x00c")
    'ab\\ufffdc'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_replace_invisible, text))


def _replace_invisible(character: str) -> str:
    category = unicodedata.category(character)
    if category not in INVISIBLE or character in "\n\t" or character in JOINERS:
        return character
    return "" if category == "Cf" else "\ufffd"


def shorten(name: str, length: int = NAME_LENGTH) -> str:
    """Return one line of at most ``length`` characters.

    >>> shorten("a name\\nof two lines", 12)
    'a name of t…'
    """
    line = " ".join(clean(name[: 20 * length]).split()) or "(no name)"
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def shorten_distinctly(names: Sequence[str], length: int = NAME_LENGTH) -> tuple[str, ...]:
    """Return shortened names that are still all different.

    >>> shorten_distinctly(["speed of the left wheel", "speed of the right wheel"], 10)
    ('speed of…', 'speed… (2)')
    """
    taken: dict[str, None] = {}
    for name in names:
        short, count = shorten(name, length), 1
        while short in taken:
            count += 1
            mark = f" ({count})"
            short = shorten(name, length - len(mark)) + mark
        taken[short] = None
    return tuple(taken)


def make_facts_table(title: str, facts: Mapping[str, Any]) -> Markup:
    """A small table for notebooks: one row per fact; None is left out.

    >>> make_facts_table("Model", {"branches": 2, "error": None})
    '<table><caption>Model</caption><tr><th>branches</th><td>2</td></tr></table>'
    """
    rows = [
        tag("tr", tag("th", name), tag("td", value))
        for name, value in facts.items()
        if value is not None
    ]
    return tag("table", tag("caption", title), rows)


def make_grid_table(title: str, header: Sequence[Any], rows: Iterable[Sequence[Any]]) -> Markup:
    """A table for notebooks with a header and rows of cells."""
    cells = [tag("tr", [tag("td", cell) for cell in row]) for row in rows]
    return tag("table", tag("caption", title), tag("tr", [tag("th", h) for h in header]), cells)


def abbreviate(names: Sequence[str], limit: int = 8) -> str:
    """The first names in one line, shortened, and how many more there are.

    >>> abbreviate(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    text = ", ".join(shorten(name) for name in names[:limit])
    return text if len(names) <= limit else f"{text} and {len(names) - limit} more"
