"""Builds a panel's queries for Grafana: data source, time range and variables."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from modules.grafana.variables import Value, put_in
from modules.grafana.wire import Dashboard, Json, PanelModel, Source

MIXED = "-- Mixed --"
DEFAULT = "default"
OF_ANOTHER = "-- Dashboard --"
_AGO = re.compile(r"now(?:-(\d+)([smhdwMy]))?(?:/\w)?$")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "M": 2_592_000, "y": 31_536_000}
_USUAL_S = 6 * 3_600
_LEAST_STEP_MS = 1_000


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time range in Grafana's terms: milliseconds, or such as `now-6h`."""

    since: str
    before: str

    @classmethod
    def of(cls, since: datetime | None, before: datetime | None, dashboard: Dashboard) -> "Stretch":
        """Return the requested range, or else the dashboard's own."""
        if since is None:
            return cls(dashboard.time.from_, dashboard.time.to)
        return cls(_ms(since), _ms(before) if before else "now")

    def step_ms(self, points: int, now: datetime) -> int:
        """Return the milliseconds between that many points."""
        length_s = self._at(self.before, now) - self._at(self.since, now)
        return max(_LEAST_STEP_MS, round(max(length_s, 1.0) * 1_000 / points))

    @staticmethod
    def _at(word: str, now: datetime) -> float:
        if word.isdigit():
            return int(word) / 1_000
        match = _AGO.match(word)
        if match is None:
            return now.timestamp() - (_USUAL_S if word != "now" else 0)
        return now.timestamp() - int(match[1] or 0) * _SECONDS.get(match[2] or "s", 1)


@dataclass(frozen=True, slots=True)
class Where:
    """The data source of a query."""

    uid: str
    type: str


class SourceUnknownError(Exception):
    """A query names a data source that does not exist."""


def of_another(panel: PanelModel) -> bool:
    """Return whether a panel shows the results of another panel of its dashboard."""
    named = _named(panel.datasource)
    return named is not None and named.uid == OF_ANOTHER


def sources_needed(panel: PanelModel) -> bool:
    """Return whether a query of a panel leaves its data source open, so that all sources have to be listed."""
    asked = (_named(target.get("datasource")) or _named(panel.datasource) for target in panel.targets)
    return any(one is None or one.uid in {MIXED, DEFAULT} or "$" in one.uid for one in asked)


def queries_of(
    panel: PanelModel, variables: Mapping[str, Value], known: Sequence[Source], *, max_points: int, step_ms: int
) -> list[Json]:
    """Return the queries of a panel as they are sent. Raise `SourceUnknownError`."""
    made: list[Json] = []
    for number, target in enumerate(panel.targets):
        where = _where(target.get("datasource"), panel.datasource, variables, known)
        query = cast("Json", put_in(target, variables, where.type))
        query |= {
            "refId": str(target.get("refId") or chr(ord("A") + number % 26)),
            "datasource": {"uid": where.uid, "type": where.type},
            "maxDataPoints": max_points,
            "intervalMs": step_ms,
        }
        made.append(query)
    return made


def hidden_of(panel: PanelModel) -> frozenset[str]:
    """Return the queries that only serve as inputs of others."""
    return frozenset(str(target.get("refId")) for target in panel.targets if target.get("hide") is True)


def _where(own: Any, panels: Any, variables: Mapping[str, Value], known: Sequence[Source]) -> Where:
    """Return a query's source: its own, or else its panel's; a bare name is looked up, no name means the default."""
    for given in (own, panels):
        named = _named(given)
        if named is not None and named.uid != MIXED:
            uid = str(put_in(named.uid, variables, ""))
            return _known(uid, named.type, known) if uid == DEFAULT or "$" in named.uid else Where(uid, named.type)
    name = next((str(given) for given in (own, panels) if isinstance(given, str) and given), DEFAULT)
    return _known(str(put_in(name, variables, "")), "", known)


def _known(name: str, kind: str, known: Sequence[Source]) -> Where:
    """Return a source by its uid or its name, or the default one."""
    for source in known:
        if name in {source.uid, source.name} or (name == DEFAULT and source.isDefault):
            return Where(source.uid, source.type)
    if name == DEFAULT or not name:
        raise SourceUnknownError
    return Where(name, kind)


def _named(given: Any) -> Where | None:
    if not isinstance(given, dict):
        return None
    source = cast("Json", given)
    return Where(str(source["uid"]), str(source.get("type") or "")) if source.get("uid") else None


def _ms(moment: datetime) -> str:
    return str(round(moment.timestamp() * 1_000))
