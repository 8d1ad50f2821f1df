"""Write ``docs/benchmarks.md``: text and tables of all measurements."""

from __future__ import annotations

from typing import Any

from benchmarks import growth, tables
from benchmarks.peers import DATA_METHODS, METHODS
from benchmarks.problems import DATA, PROBLEMS, SYNTHETIC

Document = dict[str, Any]

INTRODUCTION = """# Benchmarks

`make bench` writes this page. All methods get the same samples and are compared on the same 2000
fresh points. Each method runs in its own process on one thread. Errors are in percent of the spread
of the values (eq. (rel_er)): the mean of the outputs, the median of the draws (1 to 3). Of several
starts the one with the smallest fitted error is kept. `seconds` is the time of all starts, without
loading and compiling. After 40 s no new start begins; `as written` and `torch` stop there with
their best result. After 70 s a method is stopped: `over time`. `peak` is the memory beyond that of
the process after loading. `numbers` is the number of parameters that a model stores for prediction.
`error/ours` and `time/ours` are ratios to `varpro`, the default, on the same draws. Above 1x the
method is less accurate or slower than `varpro`.

    make bench                      # everything; earlier measurements are kept in .bench
    python -m benchmarks --again    # measures everything again
    python -m benchmarks --quick    # one draw, few sizes, does not write this page
    make bench-check                # checks the ratios at the end of this page
"""

DATA_WORDS = """## Data without a model

300 noisy rows of Friedman's functions without Jacobians. Models are compared with
`DecoupledRegressor` on fresh rows without noise. `make regression` runs a five-fold
cross-validation on more data sets. `fitted` is relative to the noisy values, so it cannot be small.
"""

GROWTH_WORDS = """## Time and memory against problem size

All options have their default values, so the basis is selected too. The functions have tanh, sin,
exp and atan branches. The calls run on one thread. `peak` is the memory of the whole process.
"""

ITERATION_WORDS = """## One iteration of the published method

`as written` has dense filters and pseudoinverses (`benchmarks/dense.py`).
"""

CHECK_WORDS = """## Ratios that `make bench-check` checks

The ratios are measured within one run, so that the speed of the machine cancels. The check fails if
one of them has fallen by more than a factor of 1.5. Errors below 1e-6 % are counted as 1e-6 %.
"""

EXTRAPOLATION = """Outside the range of the data a branch follows its basis over a margin that was
validated at the ends of the range, then extrapolates linearly. The column `basis goes on` is
`varpro` with `extrapolate="basis"`, which follows the basis everywhere. Where its error is smaller,
fresh points lie outside the margin."""

COMPROMISE = """With fewer branches than the function has (r < 3 on the first two problems) no
method is exact. Where the other method also has a smaller fitted error, the two minimise different
objectives: `varpro` keeps a weight on the Jacobians, and polishes on the values alone only where
held-out points confirm it (`jacobian_weight=0` removes the Jacobians). Where its fitted error is
not smaller, the best fit to one or two hundred samples was not the best between them."""

ROUNDING = """With r of 3 or more the first two problems are solved to rounding error.
Differences at this level are random."""

NETWORK = """A network is not a sum of a few branches. At every r there are many minima, and the
starts of `varpro` do not always find the lowest one."""


def block(lines: list[str]) -> str:
    return "\n".join(["```text", *"\n".join(lines).strip("\n").split("\n"), "```", ""])


def machine_words(machine: dict[str, str]) -> str:
    first = ("processor", "memory", "system")
    rest = ", ".join(f"{k} {v}" for k, v in machine.items() if k not in (*first, "date"))
    place = ", ".join(machine[name] for name in first)
    return f"{machine['date']}; {place}. Versions: {rest}.\n"


def method_words() -> str:
    lines = ["Settings of the methods:", ""]
    lines += [f"- `{name}`: {method.settings}" for name, method in METHODS.items()]
    return "\n".join([*lines, ""])


def speed_words(table: list[dict[str, Any]]) -> str:
    """Return the comparison on the toy problem, r = 3, from the rows of the table."""
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
                f"{tables.times(row['times_seconds'])} the time of `varpro` "
                f"({ours['seconds']:.3f} s); held-out error {tables.number(row['held_out'])} % "
                f"instead of {tables.number(ours['held_out'])} %."
            )
    return "\n".join(
        ["One start of the published method on the toy problem, r = 3:", "", *lines, ""]
    )


def exception_words(found: list[dict[str, Any]]) -> str:
    """Return the cases in which another method is better, by its best start on one draw."""
    lines = ["## Cases in which another method is better", ""]
    if not found:
        return "\n".join([*lines, "Nowhere in the tables above, on any draw.", ""])
    lines += [
        "Every cell in which another method has a smaller held-out error than `varpro` on a draw.",
        "Here the other methods are represented by the start with the smallest error on the fresh",
        "points. Errors are medians over the draws; the ratio is the smallest one of a draw.",
        "",
        "| problem | r | method | held out % | `varpro` % | basis goes on % | better on | ratio |",
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
    """Return the explanations for the problems and numbers of branches that occur."""
    known = [(row["problem"] == "network", row["n_branches"] < 3) for row in found]
    said = [EXTRAPOLATION, COMPROMISE] if (False, True) in known else []
    said += [ROUNDING] if (False, False) in known else []
    said += [NETWORK] if any(network for network, _ in known) else []
    return ["\n\n".join(said)]


def written(document: Document) -> str:
    """Return the whole page."""
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
