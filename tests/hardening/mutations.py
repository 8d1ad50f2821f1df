"""Seeded damage to files: bytes, numbers in text, and trees of JSON."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
NUMBERS = (b"1e308", b"-1e308", b"1e999", b"-1", b"0", b"NaN", b"-Infinity", b"1e-320", b"9" * 400)
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 2**63, 10**400, 1e308, -1e308, 5e-324, float("nan"), float("inf"), "", "x",
    "\ud800", "x" * 100_000, [], {}, [[]], [None], {"npz": "W"}, {"npz": []}, [[1, 2], [3]],
)  # fmt: skip


def truncated(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content))]


def flipped(content: bytes, rng: random.Random) -> bytes:
    """A few bits turned."""
    damaged = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 4, 64))):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def overwritten(content: bytes, rng: random.Random) -> bytes:
    """A few bytes, such as a size, made extreme."""
    begin, width = rng.randrange(len(content)), rng.choice((1, 2, 4, 8))
    filling = rng.choice((b"\x00", b"\xff", b"\x7f", b"\x80"))
    return content[:begin] + filling * width + content[begin + width :]


def moved(content: bytes, rng: random.Random) -> bytes:
    """Two blocks swapped."""
    a, b, c = sorted(rng.randrange(len(content) + 1) for _ in range(3))
    return content[:a] + content[b:c] + content[a:b] + content[c:]


def repeated(content: bytes, rng: random.Random) -> bytes:
    """A block written several times over."""
    a, b = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:b] + content[a:b] * rng.choice((1, 2, 5)) + content[b:]


def dropped(content: bytes, rng: random.Random) -> bytes:
    a, b = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:a] + content[b:]


def renumbered(content: bytes, rng: random.Random) -> bytes:
    """A number in a text replaced by one that is none, or too large."""
    places = list(NUMBER.finditer(content))
    if not places:
        return truncated(content, rng)
    place = rng.choice(places)
    return content[: place.start()] + rng.choice(NUMBERS) + content[place.end() :]


BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    truncated, flipped, flipped, overwritten, overwritten, moved, repeated, dropped,
)  # fmt: skip


def damaged(content: bytes, seed: int, text: bool = False) -> bytes:
    """The content with one kind of damage, another for each seed."""
    rng = random.Random(seed)
    return rng.choice((*BYTES, *[renumbered] * 4) if text else BYTES)(content, rng)


def damaged_tree(tree: Any, seed: int) -> Any:
    """A tree of JSON with a node changed, dropped, put elsewhere or nested."""
    rng, tree = random.Random(seed), copy.deepcopy(tree)
    holder, key = rng.choice(list(_places(tree)))
    action = rng.randrange(6)
    if action == 0:
        del holder[key]
    elif action == 1:
        other, place = rng.choice(list(_places(tree)))
        holder[key] = copy.deepcopy(other[place])
    elif action == 2:
        holder[key] = [holder[key]]
    else:
        holder[key] = copy.deepcopy(rng.choice(VALUES))
    return tree


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) in a tree."""
    keys = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    for key in list(keys):
        yield node, key
        yield from _places(node[key])


def as_json(tree: Any) -> bytes:
    """With what JSON has no word for, as Python writes it."""
    return json.dumps(tree).encode("utf-8", "surrogatepass")
