"""Commands whose help has its options in sections, and examples at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import click
from click.core import ParameterSource

from ..errors import InvalidOption

Decorated = Callable[..., Any]


class Option(click.Option):
    """An option that knows its section of the help."""

    def __init__(self, *declarations: Any, section: str = "Options", **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.section = section


class Command(click.Command):
    """A command that lists its options section by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        last = sections.pop("Options", [])
        for title, records in [*sections.items(), ("Options", last)]:
            with formatter.section(title):
                formatter.write_dl(records)


def command(examples: str) -> Callable[[Callable[[SimpleNamespace], Any]], click.Command]:
    """A command from a function of its options; its help ends with the examples."""
    lines = [line.strip() for line in examples.strip().splitlines()]
    epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)

    def decorate(function: Callable[[SimpleNamespace], Any]) -> click.Command:
        parameters = list(reversed(getattr(function, "__click_params__", [])))
        return Command(
            function.__module__.rpartition("._")[2],
            callback=lambda **values: function(SimpleNamespace(**values, given=_given(values))),
            params=parameters,
            help=function.__doc__,
            epilog=epilog,
        )

    return decorate


def _given(values: Iterable[str]) -> set[str]:
    """Names of the options that stand on the command line; the others have their defaults."""
    source = click.get_current_context().get_parameter_source
    return {name for name in values if source(name) is ParameterSource.COMMANDLINE}


def refuse(options: SimpleNamespace, names: Iterable[str], why: str) -> None:
    """An option that would be without effect is a mistake: say so before the work."""
    for name in names:
        if name in options.given:
            raise InvalidOption(f"--{name.replace('_', '-')} {why}")


def option(section: str, *declarations: str, **settings: Any) -> Callable[[Decorated], Decorated]:
    """An option in a section of the help, which shows its default."""
    settings.setdefault("show_default", "default" in settings)
    kind = settings.get("type")
    if isinstance(kind, (click.IntRange, click.FloatRange)):
        settings.setdefault("metavar", "N" if isinstance(kind, click.IntRange) else "X")
    elif isinstance(kind, click.ParamType) and not kind.name.islower():
        settings.setdefault("metavar", kind.name)
    return click.option(*declarations, cls=Option, section=section, **settings)
