"""``docs/benchmarks.md``: what was measured, in words and tables."""

from __future__ import annotations

from typing import Any

from benchmarks import growth, tables
from benchmarks.peers import DATA_METHODS, METHODS
from benchmarks.problems import DATA, PROBLEMS, SYNTHETIC

Document = dict[str, Any]

INTRODUCTION = """# Beside its peers

`make bench` wrote this page. Every method gets the same samples and is judged on 2000 fresh
points, the same for all, in a process of its own and on one thread. Errors are in percent of the
spread of the values (eq. (rel_er)), mean of the outputs, median of the draws (1 to 3). Of several
starts the one that fits best is kept; seconds are those of all starts, without loading and
compiling. After 40 s no new start is made (`as written` and `torch` stop there with the best they
have), and after 70 s a method is ended: `over time`.
`peak` is the memory beyond what the loaded process takes, `numbers` what a model keeps to predict
with. `error/ours` and `time/ours` compare with `varpro`, the default, on the same draws: more than
1x is behind.

    make bench                      # all of it; what was measured already is kept in .bench
    python -m benchmarks --again    # measured anew
    python -m benchmarks --quick    # one draw, few sizes, not written here
    make bench-check                # do the ratios at the end of this page still hold?
"""

DATA_WORDS = """## Data alone

300 noisy rows of Friedman's functions, no Jacobians, judged on fresh rows without noise, beside
`DecoupledRegressor` (`make regression` has more sets, five-fold). `fitted` is against the noisy
values, so it cannot be small.
"""

GROWTH_WORDS = """## How a call grows

Every option at its default, so the basis is chosen too; functions with tanh, sin, exp and atan
branches; one thread. `peak` is all that the process takes.
"""

ITERATION_WORDS = """## One iteration of the published method

`as written` has dense filters and pseudoinverses (`benchmarks/dense.py`).
"""

CHECK_WORDS = """## What `make bench-check` holds

Ratios within one run, so that the speed of the machine cancels; it fails where one has fallen by
more than a factor 1.5. Errors below 1e-6 % count as that.
"""

STRAIGHT = """Beyond the range of the data a branch is followed as far as it proved itself at their
ends, then goes on straight. The column `basis goes on` is `varpro` with `extrapolate="basis"`,
which follows it everywhere: where that is lower, the fresh points lie further out."""

COMPROMISE = """With fewer branches than the function has (r < 3 on the first two problems) there
is only a compromise. Where the other method also has less fitted error, the two minimise different
things: `varpro` keeps some weight on the Jacobians, and polishes on the values alone only where
points held out confirm it (`jacobian_weight=0` leaves them out). Where it has not, the compromise
that is best on a hundred or two samples was not the best between them."""

ROUNDING = """With r of 3 or more the first two problems are met to rounding; less is chance."""

NETWORK = """A network is no sum of a few branches: at every r there are many minima, and `varpro`
is not sure to find the lowest with its starts."""


def block(lines: list[str]) -> str:
    return "\n".join(["```text", *"\n".join(lines).strip("\n").split("\n"), "```", ""])


def machine_words(machine: dict[str, str]) -> str:
    first = ("processor", "memory", "system")
    rest = ", ".join(f"{k} {v}" for k, v in machine.items() if k not in (*first, "date"))
    place = ", ".join(machine[name] for name in first)
    return f"{machine['date']}; {place}. Versions: {rest}.\n"


def method_words() -> str:
    lines = ["How each was set:", ""]
    lines += [f"- `{name}`: {method.settings}" for name, method in METHODS.items()]
    return "\n".join([*lines, ""])


def speed_words(table: list[dict[str, Any]]) -> str:
    """The claim about the toy problem, r = 3, from the rows themselves."""
    rows = {
        row["method"]: row
        for row in table
        if (row["problem"], row["n_branches"]) == ("toy", 3) and not row["failed"]
    }
    ours, lines = rows.get("varpro"), []
    for name in ("as written", "as written, relaxed V"):
        if ours and name in rows:
            row = rows[name]
            lines.append(
                f"- `{name}`: {row['seconds']:.1f} s ({row['note']}), "
                f"{tables.times(row['times_seconds'])} as long as `varpro` "
                f"({ours['seconds']:.3f} s), with {tables.number(row['held_out'])} % held out "
                f"against {tables.number(ours['held_out'])} %."
            )
    return "\n".join(
        ["One start of the published method on the toy problem, r = 3:", "", *lines, ""]
    )


def exception_words(found: list[dict[str, Any]]) -> str:
    """Where someone else is ahead, even by its luckiest start on one draw."""
    lines = ["## Where `varpro` is not ahead", ""]
    if not found:
        return "\n".join([*lines, "Nowhere in the tables above, on no draw.", ""])
    lines += [
        "Every cell in which another method has less held-out error than `varpro` on a draw.",
        "Others are judged here by their luckiest start, the one that a look at the fresh points",
        "would pick. Medians over the draws.",
        "",
        "| problem | r | method | held out % | `varpro` % | basis goes on % | ahead on | at best |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in found:
        going_on = "" if row["going_on"] is None else tables.number(row["going_on"])
        lines.append(
            f"| {row['problem']} | {row['n_branches']} | {row['method']} | "
            f"{tables.number(row['theirs'])} | {tables.number(row['ours'])} | {going_on} | "
            f"{row['draws']} of {row['of']} draws | {tables.times(row['least'])} |"
        )
    return "\n".join([*lines, "", *reasons(found), ""])


def reasons(found: list[dict[str, Any]]) -> list[str]:
    """Why, for the problems and numbers of branches that occur."""
    known = [(row["problem"] == "network", row["n_branches"] < 3) for row in found]
    said = [STRAIGHT, COMPROMISE] if (False, True) in known else []
    said += [ROUNDING] if (False, False) in known else []
    said += [NETWORK] if any(network for network, _ in known) else []
    return ["\n\n".join(said)]


def written(document: Document) -> str:
    """The whole page."""
    table = document["comparison"]
    parts = [INTRODUCTION, machine_words(document["machine"]), method_words()]
    for problem in SYNTHETIC:
        rows = [row for row in table if row["problem"] == problem]
        title, *lines = tables.comparison_table(problem, rows)
        parts += [f"## {title}\n", block(lines)] if rows else []
        if problem == "toy":
            parts.append(speed_words(table))
    parts += [exception_words(document["exceptions"]), DATA_WORDS]
    parts += ["\n".join([*(f"- `{n}`: {m.settings}" for n, m in DATA_METHODS.items()), ""])]
    for problem in DATA:
        rows = [row for row in table if row["problem"] == problem]
        if rows:
            parts.append(
                block([f"{PROBLEMS[problem].title}", *tables.comparison_table(problem, rows)[1:]])
            )
    parts += [GROWTH_WORDS]
    parts += [block(growth.table(name, rows)) for name, rows in document["growth"].items()]
    parts += [ITERATION_WORDS, block(document["iterations"])]
    if document["check"]:
        parts += [CHECK_WORDS, block(tables.check_table(document["check"]))]
    return "\n".join(parts)
