"""List, show and replay webhook requests: implements `butler hooks`."""

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.reason_words import details_in_words
from approvals.visible import visible_line
from butler.cli.database import changing, reading
from butler.cli.output import counted, json_text
from butler.clock import RealClock
from butler.contract.errors import Refuse
from butler.contract.reasons import dump_reasons
from butler.store.queries import hooks
from butler.store.queries.hooks import HookRow
from config.load import load

ID_SHOWN = 8
"""The shown prefix of an id; `hooks show` accepts it."""
MOST_BODY = 20_000


def list_hooks(path: Path, *, receiver: str, limit: int, as_json: bool) -> str:
    """Return the stored requests, the newest last."""
    zone = _zone(path)
    with reading(path) as connection:
        rows = hooks.newest(connection, limit, receiver=receiver)
    if as_json:
        return json_text([_json(row) for row in rows])
    return "\n".join(_line(row, zone) for row in rows) or "Nothing came in by a webhook yet."


def show_hook(path: Path, beginning: str, *, as_json: bool) -> str:
    """Return one request, by its id or a unique prefix of it; raise `Refuse` if there is none."""
    zone = _zone(path)
    with reading(path) as connection:
        row = the_hook(connection, beginning)
    text = row.hook.body[:MOST_BODY].decode("utf-8", "replace")
    if as_json:
        return json_text(_json(row) | {"headers": dict(row.hook.headers), "key": row.key, "body": text})
    lines = [_line(row, zone), f"from {row.remote}, {counted(len(row.hook.body), 'byte', 'bytes')}"]
    lines += [f"replayed {counted(row.replays, 'time', 'times')}"] if row.replays else []
    lines += [f"{name}: {visible_line(value)}" for name, value in row.hook.headers.items()]
    return "\n".join([*lines, "", *(visible_line(line) for line in text.splitlines())])


def replay_hook(path: Path, beginning: str) -> str:
    """Write the row that the daemon takes up within a second; raise `Refuse` as `show_hook` does."""
    with changing(path) as connection:
        row = the_hook(connection, beginning)
        number = hooks.replay(connection, row.hook.hook_id, RealClock().now())
    return f"{row.hook.hook_id[:ID_SHOWN]} of {row.hook.receiver} is acted on once more (replay {number})."


def the_hook(connection: sa.Connection, beginning: str) -> HookRow:
    """Return the request whose id begins so; raise `Refuse` if there is none, or more than one."""
    found = hooks.beginning(connection, beginning) if beginning else ()
    if not found:
        raise Refuse(f"nothing that came in has the id {beginning!r}; `butler hooks` lists what did")
    if len(found) > 1:
        raise Refuse(f"several ids begin with {beginning}; give more of it")
    return found[0]


def _zone(path: Path) -> ZoneInfo:
    return ZoneInfo(load(path).settings.butler.timezone)


def _line(row: HookRow, zone: ZoneInfo) -> str:
    at = row.hook.received_at.astimezone(zone)
    detail = f": {visible_line(details_in_words(row.detail))}" if row.detail else ""
    return f"{row.hook.hook_id[:ID_SHOWN]}  {at:%Y-%m-%d %H:%M:%S}  {row.hook.receiver}  {row.state}{detail}"


def _json(row: HookRow) -> dict[str, Any]:
    return {
        "id": row.hook.hook_id,
        "name": row.hook.receiver,
        "received_at": row.hook.received_at.isoformat(),
        "from": row.remote,
        "bytes": len(row.hook.body),
        "state": row.state.value,
        "detail": details_in_words(row.detail),
        "detail_codes": dump_reasons(row.detail),
        "handled_at": row.handled_at.isoformat() if row.handled_at else None,
        "replays": row.replays,
    }
