"""List and show bulk runs: implements `butler bulk` and `butler bulk show`."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.reason_words import details_in_words
from approvals.visible import visible_line
from butler.bulk.progress_message import words_of
from butler.bulk.registry import BulkAdapters
from butler.cli.audit.log import entry_json, entry_line
from butler.cli.database import reading
from butler.cli.output import counted, hanging, json_text
from butler.contract.errors import Refuse
from butler.contract.reasons import dump_reasons
from butler.offline import example_modules
from butler.store.queries import audit, bulk
from butler.store.queries.bulk import OPEN, ItemState, RunRow, RunState
from config.load import load

BEGUN = (*OPEN, RunState.STOPPED, RunState.DONE)
ID_SHOWN = 8
"""The shown prefix of an id, enough to tell ids apart; `bulk show` accepts it."""
MOST_FAILURES, MOST_ENTRIES = 20, 1_000


def list_runs(path: Path, *, only_open: bool, as_json: bool, limit: int | None) -> str:
    """Return the runs, the newest last."""
    adapters, zone = offline_adapters(path), _zone(path)
    with reading(path) as connection:
        runs = bulk.newest(connection, OPEN if only_open else BEGUN, limit)
        counted_runs = [(run, bulk.counts(connection, run.run_id)) for run in runs]
    if as_json:
        return json_text([_json(adapters, run, counts) for run, counts in counted_runs])
    if not runs:
        return "Nothing is running." if only_open else "Nothing was done to many things at once yet."
    return "\n".join(_run_line(adapters, run, counts, zone) for run, counts in counted_runs)


def show_run(path: Path, beginning: str, *, as_json: bool) -> str:
    """Return one run, by its id or a unique prefix of it; raise `Refuse` if there is none."""
    adapters, zone = offline_adapters(path), _zone(path)
    with reading(path) as connection:
        run = the_run(connection, beginning)
        counts, later = bulk.counts(connection, run.run_id), bulk.of_run(connection, run.run_id)
        failures = bulk.in_state(connection, run.run_id, ItemState.FAILED, MOST_FAILURES)
        entries = audit.rows(connection, run.run_id, MOST_ENTRIES)[::-1]
    if as_json:
        more = {
            "failures": [
                {"id": one.item_id, "name": one.name, "why": details_in_words(one.detail)} for one in failures
            ],
            "later": [one.run_id for one in later],
            "audit": [entry_json(entry) for entry in entries],
        }
        return json_text(_json(adapters, run, counts) | more)
    lines = [f"{run.run_id}, {run.state}\n", _line(adapters, run, counts)]
    lines += [f"{name}: {value}" for name, value in _facts(run, zone)]
    lines += ["\nCould not be"] if failures else []
    lines += [
        f"  {visible_line(one.name or one.item_id)}: {visible_line(details_in_words(one.detail))}" for one in failures
    ]
    hidden = counts[ItemState.FAILED] - len(failures)
    lines += [f"  and {counted(hidden, 'other', 'others')}"] if hidden else []
    lines += [f"\n{'Put back' if one.undo_of else 'Tried again'} by {one.run_id}, {one.state}" for one in later]
    lines += ["\nIn the audit log", *(entry_line(entry, zone) for entry in entries)]
    return "\n".join(lines)


def the_run(connection: sa.Connection, beginning: str) -> RunRow:
    """Return the run whose id begins so; raise `Refuse` if there is none, or more than one."""
    found = bulk.beginning_with(connection, beginning) if beginning else []
    if not found:
        raise Refuse(f"there is no run {beginning!r}; `butler bulk` lists them")
    if len(found) > 1:
        ids = " and ".join(run.run_id for run in found)
        raise Refuse(f"more than one run begins with {beginning}, such as {ids}; write more of it")
    return found[0]


def offline_adapters(path: Path) -> BulkAdapters:
    """Return the adapters that describe runs and their undoing, without any connection."""
    adapters = BulkAdapters()
    for module in example_modules(load(path).settings.modules):
        adapters.add(module.bulk_adapters())
    return adapters


def _zone(path: Path) -> ZoneInfo:
    return ZoneInfo(load(path).settings.butler.timezone)


def _run_line(adapters: BulkAdapters, run: RunRow, counts: Mapping[ItemState, int], zone: ZoneInfo) -> str:
    """Return a run's start, its state, the beginning of its id, and what it is."""
    begun = (run.begun_at or run.created_at).astimezone(zone)
    return hanging(f"{begun:%Y-%m-%d %H:%M}  {run.state:8}  {run.run_id[:ID_SHOWN]}  ", _line(adapters, run, counts))


def _line(adapters: BulkAdapters, run: RunRow, counts: Mapping[ItemState, int]) -> str:
    words = words_of(adapters, run)
    failed = f", {counts[ItemState.FAILED]} could not be" if counts[ItemState.FAILED] else ""
    where = f" ({run.adapter}{f', {run.account}' if run.account else ''})"
    return f"{words.did}: {counts[ItemState.DONE]} of {run.total}{failed}{where}"


def _facts(run: RunRow, zone: ZoneInfo) -> Iterator[tuple[str, str]]:
    yield "Asked for", run.params
    for name, at in (("Begun", run.begun_at), ("Ended", run.ended_at)):
        if at is not None:
            yield name, f"{at.astimezone(zone):%Y-%m-%d %H:%M:%S}"
    if run.arrived:
        yield "Came meanwhile", str(run.arrived)
    if run.detail:
        yield "Held up", details_in_words(run.detail)
    for name, other in (("Puts back", run.undo_of), ("Tries again", run.retry_of), ("By the rule", run.rule_id)):
        if other:
            yield name, other


def _json(adapters: BulkAdapters, run: RunRow, counts: Mapping[ItemState, int]) -> dict[str, Any]:
    return {
        "run": run.run_id,
        "state": run.state,
        "adapter": run.adapter,
        "account": run.account,
        "action": words_of(adapters, run).did,
        "order": json.loads(run.params),
        "digest": run.digest,
        "total": run.total,
        "counts": {state.value: count for state, count in counts.items()},
        "arrived": run.arrived,
        "call_id": run.call_id,
        "rule_id": run.rule_id,
        "undo_of": run.undo_of,
        "retry_of": run.retry_of,
        "detail": details_in_words(run.detail),
        "detail_codes": dump_reasons(run.detail),
        "created_at": run.created_at.isoformat(),
        "begun_at": _moment(run.begun_at),
        "ended_at": _moment(run.ended_at),
    }


def _moment(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
