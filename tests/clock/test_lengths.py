"""A length of time is never measured by the wall clock, which may be set: the places that read it are listed here."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("butler", "modules", "approvals")

MOMENTS = {
    # Whether a reminder was said within the last hours, by when it was.
    "modules/reminders/module.py": 1,
    # Whether the moment is over at which an automation ends.
    "modules/automations/module.py": 1,
    # The clocks themselves, and what tells ages by them.
    "butler/clock.py": 1,
    "butler/contract/last_time.py": 1,
    # Until when a row waits that waits for a moment; what waits for a length is set right when the clock is set.
    "butler/engine.py": 2,
    # Ages of `LastTime`, which tells its moment by the clock as it is now.
    "butler/health/alarms.py": 1,
    "butler/health/watchdog.py": 1,
    # Rows and files that are old or young by the time that is written in them.
    "butler/agents/connector/workspace.py": 1,
    "butler/ingestion.py": 2,
    "butler/maintenance/backups.py": 1,
    "butler/maintenance/retention.py": 2,
    "modules/email/gmail/sync.py": 1,
    "modules/email/imap/sync.py": 2,
    # Moments that a server has named.
    "butler/agents/connector/web_client.py": 1,
    "butler/cli/doctor/checks.py": 1,
    "modules/_accounts/google_channels.py": 2,
    "modules/_remote/http.py": 1,
    "modules/calendar/previews.py": 1,
    "modules/email/gmail/push.py": 1,
    "modules/telegram/feed_state.py": 1,
    "modules/telegram/integration_client_login.py": 1,
    "modules/telegram/integration_client_reading.py": 1,
}
"""How often a file compares the wall clock with something, or waits by it, and why it may."""


def is_now(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "now"


def by_wall_clock(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right) if is_now(left) or is_now(right):
                yield node
            case ast.Compare(left=left, comparators=others) if any(map(is_now, (left, *others))):
                yield node
            case ast.Attribute(attr="sleep_until") | ast.Attribute(value=ast.Name(id="time"), attr="time"):
                yield node
            case _:
                pass


def test_only_moments_are_compared_with_the_wall_clock() -> None:
    found = Counter[str]()
    for path in (path for top in PRODUCT for path in (ROOT / top).rglob("*.py")):
        if "demo" not in path.parts and (count := sum(1 for _ in by_wall_clock(ast.parse(path.read_text("utf-8"))))):
            found[path.relative_to(ROOT).as_posix()] = count
    assert dict(found) == MOMENTS, "a length of time is measured by Clock.monotonic() and waited for by Clock.sleep()"


def test_the_check_sees_every_way_to_measure_by_the_wall_clock() -> None:
    ways = (
        "clock.sleep_until(clock.now() + pause)",
        "clock.now() - self.began > LIMIT",
        "self._clock.now() >= self._next",
        "time.time() - started",
    )
    assert all(any(by_wall_clock(ast.parse(way))) for way in ways)
    assert not any(by_wall_clock(ast.parse("clock.sleep(pause); clock.monotonic() - began; now - row.due")))
