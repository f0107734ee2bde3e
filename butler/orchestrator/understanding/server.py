"""Builds questions about servers: their state, a signal over a time, a dashboard, and logs.

The settings name the signals and log queries; only existing ones are queried.
"""

import re
from dataclasses import replace
from datetime import datetime, time, timedelta

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import missing
from butler.orchestrator.embedded.server_looks import (
    LOGS,
    LOOKED_AT,
    METRICS,
    MOST_SIGNALS,
    TROUBLE,
    USUAL,
    Span,
    look,
    title_of,
    until,
    written,
)
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.servers.named_signals import names_of, titles_of
from butler.orchestrator.understanding import server_words as words
from butler.orchestrator.understanding.said import Builder, Said, bare, span_of
from butler.orchestrator.understanding.times.loose import length_within
from butler.understanding.times.lengths import shifted
from butler.understanding.times.parse import parse

DASHBOARD = "bot_grafana_query_dashboard"
MORNING = time(6)
"""The end of a night."""


def metrics(said: Said) -> PlannerOutput:
    """Show a server's state: the named dashboard, the named signals, or all signals with the logs."""
    if words.DASHBOARDS.search(said.request.text) and said.scene.has(DASHBOARD):
        return _dashboard(said)
    if not said.scene.has(METRICS):
        if not said.scene.has(LOGS):
            raise Asking(missing(METRICS, said.scene))
        return _looked([], said, logs=True)
    log = _named_log([*said.request.words("service"), *said.request.words("topic")], said)
    named = _signals(said)
    if log is not None and not named:
        return log
    if named:
        return _looked(named, said, logs=False)
    known = names_of(METRICS, said.scene.request.tools)
    whole = [name for name in LOOKED_AT if name in known][:MOST_SIGNALS] or list(known[:MOST_SIGNALS])
    return _looked(whole, said, logs=True)


def _looked(signals: list[str], said: Said, *, logs: bool) -> PlannerOutput:
    found = look(signals, said.scene, _span(said), logs=logs)
    if found is None:
        raise Asking(missing(METRICS, said.scene))
    return found


def _span(said: Said) -> Span:
    """Return the requested span of time; the usual one without a time, or for `now`."""
    now = said.scene.now()
    text = ", ".join(said.request.words("time") or said.request.words("duration"))
    usual = Span(now - USUAL)
    if not text or not words.NOW.sub("", text).strip(" ,?!"):
        return usual
    wall = now.replace(tzinfo=None)
    found = parse(text, said.language, now)
    if found is not None and (marked := said.when("time")) is not None:
        found = replace(found, bound=marked.bound)
    if found is None or words.AN_HOUR.search(text) or (found.moment is not None and found.moment > wall):
        length = length_within(text, said)
        if length is None:
            said.when("time" if said.has("time") else "duration")
            return usual
        since = datetime.combine(shifted(wall.date(), -length.months), wall.time())
        return Span(since - timedelta(days=length.days, seconds=length.seconds))
    if found.moment is not None:
        return Span(found.moment)
    begin, end = span_of(found, now)
    if begin is not None and end is not None and found.part == "night" and found.clock is None:
        end = datetime.combine(begin.date() + timedelta(1), MORNING)
    if begin is not None and begin >= wall:
        # The question is about the past: noon is yesterday's, the weekend the last one.
        by = timedelta(7 if found.until_day is not None or found.weekday else 1)
        begin, end = begin - by, end - by if end is not None else None
    return Span(begin or wall - USUAL, end if end is not None and end < wall else None)


def _signals(said: Said) -> list[str]:
    """Return the named signals, by their names in the settings or their usual words."""
    known = names_of(METRICS, said.scene.request.tools)
    asked = " ".join((*said.request.words("topic"), *said.request.words("service")))
    for text in (asked, _without_time(said)):
        plain = text.casefold()
        own = [name for name in known if re.search(rf"\b{re.escape(name.replace('_', ' '))}\b", plain)]
        usual = [name for pattern, name in words.SIGNALS if name in known and pattern.search(text)]
        found = list(dict.fromkeys((*(name for name in own if name not in LOOKED_AT), *usual)))
        if found:
            return _without_wider(found, text)
    return []


def _without_time(said: Said) -> str:
    """Return the request without the words of its time, so that German `last` in them is not read as load."""
    text = said.request.text
    for one in (one for slot in ("time", "duration") for one in said.request.words(slot)):
        text = text.replace(one, " ")
    return text.rstrip(" ?!.")


def _without_wider(found: list[str], text: str) -> list[str]:
    """Drop `disk` if only the disk's activity is meant."""
    if "disk_io" in found and "disk" in found and not re.search(r"space|platz|espace|espacio", text, re.IGNORECASE):
        found.remove("disk")
    return found[:MOST_SIGNALS]


# Dashboards.


def _dashboard(said: Said) -> PlannerOutput:
    text = said.request.text
    if words.WHICH.search(text):
        return calls.plan(calls.call(DASHBOARD, say("List your dashboards")))
    args: dict[str, str] = {}
    panel = words.PANEL.search(_without_time(said))
    if panel is not None:
        args = {"dashboard": panel["board"].strip(), "panel": _telling(panel["panel"])}
    else:
        name = _telling(said.words("service")) or _telling(said.words("topic"))
        if not name:
            return calls.plan(calls.call(DASHBOARD, say("List your dashboards")))
        args = {"dashboard": name}
        topic = _telling(said.words("topic")) if said.has("service") else ""
        args |= {"panel": topic} if topic else {}
    if said.has("time"):
        span = _span(said)
        args |= {"since": written(span.since), **until(span)}
    return calls.plan(calls.call(DASHBOARD, say("Read the dashboard {name}", name=args["dashboard"]), **args))


def _telling(text: str) -> str:
    """Return the identifying words, without those that fit every server or dashboard."""
    found = bare(text)
    while (first := words.SMALL.match(found)) and first[0] != found:
        found = bare(found[first.end() :])
    return "" if words.SMALL.fullmatch(found) else re.sub(r"['’]s$", "", found)


# Logs.


def logs(said: Said) -> PlannerOutput:
    """Read the logs for errors, for certain words, or by a named log query of the settings."""
    if not said.scene.has(LOGS):
        raise Asking(missing(METRICS if not said.scene.has(METRICS) else LOGS, said.scene))
    span = _span(said)
    sought = [_telling(text) for text in (*said.request.words("topic"), *said.request.words("query"))]
    sought += [
        name for text in said.request.words("service") if (name := _telling(text)) and not words.SERVER.fullmatch(name)
    ]
    found = [text for text in sought if text and not words.ERRORS.fullmatch(text)]
    if (named := _named_log(found, said)) is not None:
        return named
    if not found and said.scene.has(METRICS) and not words.OF_LOGS.search(said.request.text):
        return metrics(said)
    if not found:
        return _looked([], said, logs=True)
    what = say("Read the logs: {signal}", signal=f"“{' '.join(found)}”")
    trouble = _trouble(said)
    return calls.plan(calls.call(LOGS, what, **trouble, words=found, since=written(span.since), **until(span)))


def _trouble(said: Said) -> dict[str, str]:
    """Return the log query for errors, if the request is about errors."""
    titles = titles_of(LOGS, said.scene.request.tools)
    name = next((name for name in TROUBLE if name in titles), "")
    return {"signal": name} if name and words.WENT_WRONG.search(said.request.text) else {}


def _named_log(texts: list[str], said: Said) -> PlannerOutput | None:
    """Return the plan for a log query of the settings that the words name: `the backup job`."""
    if not said.scene.has(LOGS):
        return None
    titles, span = titles_of(LOGS, said.scene.request.tools), _span(said)
    for text in texts:
        name = _telling(text).casefold().replace(" ", "_")
        usual = next((known for pattern, known in words.LOGGED if pattern.fullmatch(_telling(text))), name)
        alike = {name, f"{name}s", usual}
        named = next((one for one in titles if one in alike or name in {f"{one}s", f"{one}_job"}), "")
        if named:
            return calls.plan(calls.read_logs(named, title_of(titles[named]), written(span.since), **until(span)))
    return None


BUILDERS: dict[str, Builder] = {"server.metrics": metrics, "server.logs": logs}
