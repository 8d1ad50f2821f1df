"""Commands whose help lists the options in sections and ends with examples."""

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import click
from click.core import ParameterSource

from ..errors import InvalidOptionError

Decorated = Callable[..., Any]


class SectionOption(click.Option):
    """An option in a section of the help."""

    def __init__(self, *declarations: Any, section: str, **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.section = section


class SectionCommand(click.Command):
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


def define_command(*examples: str) -> Callable[[Callable[[SimpleNamespace], Any]], click.Command]:
    """Make a command from a function of its options; its help ends with the examples.

    Besides the options, the function gets ``given``, the names of the options on the command line,
    and ``warnings``, the list of the warnings up to now.
    """

    def decorate(function: Callable[[SimpleNamespace], Any]) -> click.Command:
        def run(**values: Any) -> Any:
            context = click.get_current_context()
            source = context.get_parameter_source
            given = {name for name in values if source(name) is ParameterSource.COMMANDLINE}
            return function(SimpleNamespace(**values, given=given, warnings=context.obj))

        return SectionCommand(
            function.__module__.rpartition("._")[2],
            callback=run,
            params=list(reversed(getattr(function, "__click_params__", []))),
            help=function.__doc__,
            epilog="\n  ".join(["\b\nExamples:", *examples]),
        )

    return decorate


def reject_options(options: SimpleNamespace, names: Iterable[str], reason: str) -> None:
    """Raise InvalidOptionError if an option is given that has no effect."""
    for name in names:
        if name in options.given:
            raise InvalidOptionError(f"--{name.replace('_', '-')} {reason}")


def option(
    *declarations: str, section: str = "Options", **settings: Any
) -> Callable[[Decorated], Decorated]:
    """A decorator that adds an option to a section of the help and shows its default."""
    settings.setdefault("show_default", "default" in settings)
    kind = settings.get("type")
    if isinstance(kind, (click.IntRange, click.FloatRange)):
        settings.setdefault("metavar", "N" if isinstance(kind, click.IntRange) else "X")
    elif isinstance(kind, click.ParamType) and not kind.name.islower():
        settings.setdefault("metavar", kind.name)
    return click.option(*declarations, cls=SectionOption, section=section, **settings)
