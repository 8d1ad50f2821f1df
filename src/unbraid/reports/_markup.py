"""HTML as nested calls: whatever is not markup already is escaped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

VOID = frozenset({"meta", "br", "hr", "wbr"})
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # control, format, surrogates, ...
JOINERS = "\u200c\u200d"  # format characters that some scripts are spelled with
NAME = 28  # characters of a name that are shown


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """An element. Underscores in attributes become hyphens; None and False leave one out.

    >>> tag("a", "1 < 2", tag("b", "!"), href="#x", class_="note", aria_label='say "hi"')
    '<a href="#x" class="note" aria-label="say &quot;hi&quot;">1 &lt; 2<b>!</b></a>'
    """
    inside = "".join(
        f" {_key(key)}" + ("" if value is True else f'="{escape(clean(str(value)))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in VOID:
        return Markup(f"<{name}{inside}>")
    return Markup(f"<{name}{inside}>{joined(children)}</{name}>")


def joined(children: Iterable[Any]) -> Markup:
    """Markup as it is, text escaped, lists one after the other, None left out."""
    parts: list[str] = []
    for child in children:
        if isinstance(child, Markup):
            parts.append(child)
        elif isinstance(child, (list, tuple)):
            parts.append(joined(child))
        elif child is not None:
            parts.append(escape(clean(str(child)), quote=False))
    return Markup("".join(parts))


def _key(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def clean(text: str) -> str:
    """Text without characters that are not seen, such as those that turn the writing around.

    >>> clean("a\\u202eb\\x00c")
    'ab\\ufffdc'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_seen, text))


def _seen(sign: str) -> str:
    if sign in "\n\t" or sign in JOINERS or unicodedata.category(sign) not in UNSEEN:
        return sign
    return "" if unicodedata.category(sign) == "Cf" else "\ufffd"


def shortened(name: str, most: int = NAME) -> str:
    """One line of at most so many characters.

    >>> shortened("a name\\nof two lines", 12)
    'a name of t…'
    """
    line = " ".join(clean(name[: 20 * most]).split()) or "(no name)"
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def distinct(names: Sequence[str], most: int = NAME) -> tuple[str, ...]:
    """Shortened names that can still be told apart.

    >>> distinct(["speed of the left wheel", "speed of the right wheel"], 10)
    ('speed of…', 'speed… (2)')
    """
    taken: dict[str, None] = {}
    for name in names:
        short, count = shortened(name, most), 1
        while short in taken:
            count += 1
            mark = f" ({count})"
            short = shortened(name, most - len(mark)) + mark
        taken[short] = None
    return tuple(taken)
