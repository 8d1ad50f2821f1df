"""Errors of free-run simulations on the page, each with the record it belongs to."""

from collections.abc import Callable

from ..dynamics._records import Records
from ._page_view import NamedErrors, Simulation
from ._record_name import TRAINING, name_record

Errors = tuple[NamedErrors, ...]


def simulate_named_record(
    simulate: Callable[[Records, str], Simulation],
    given: Records | None,
    training: Records | None,
    errors: Errors,
) -> tuple[Simulation | None, Errors]:
    """Return the simulation of the given record, else of the training record.

    The errors of simulations are added to those of the model; of the row of a scan, which has
    errors, only that on the given record.
    """
    records = training if given is None else given
    if records is None:
        return None, errors
    where = name_record(given, training)
    simulation = simulate(records, where)
    found = list(errors)
    if where != TRAINING and training is not None and not errors:
        found.append(
            NamedErrors(f"simulation error {TRAINING}", simulate(training, TRAINING).error)
        )
    if given is not None or not errors:
        found.append(NamedErrors(f"simulation error {where}", simulation.error))
    return simulation, tuple(found)
