"""Questions about servers and their logs, in four languages."""

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.server import BUILDERS
from modules.loki.args import QueryLogsArgs
from modules.prometheus.args import QueryMetricsArgs
from tests.understanding.marked import made, said, steps

METRICS, LOGS, DASHBOARD = "bot_prometheus_query_metrics", "bot_loki_query_logs", "bot_grafana_query_dashboard"
SINCE = "2026-03-04T04:30"
WHOLE = ("cpu", "load", "memory", "disk", "disk_io", "errors", "down")


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "is the server all right"),
        ("en", "how's [the server](service) doing [right now](time)"),
        ("de", "läuft der server"),
        ("fr", "le serveur va bien ?"),
        ("es", "cómo está el servidor"),
    ],
)
def test_a_whole_server(language: str, line: str) -> None:
    found = steps(BUILDERS, said(line, "server.metrics", language=language))
    assert [(tool, args) for tool, args in found if tool == METRICS] == [
        (METRICS, {"signal": name, "since": SINCE}) for name in WHOLE
    ]
    assert [args["signal"] for tool, args in found if tool == LOGS] == ["errors", "backup"]


@pytest.mark.parametrize(
    ("language", "line", "args"),
    [
        ("en", "load on [web-02](service)?", {"signal": "load", "since": SINCE}),
        ("en", "how many requests per second on [web-02](service)", {"signal": "network", "since": SINCE}),
        ("de", "wie viele Anfragen pro Sekunde hat [web-02](service)", {"signal": "network", "since": SINCE}),
        ("en", "is the disk filling up on the [NAS](service)", {"signal": "disk", "since": SINCE}),
        ("en", "what's the [memory](topic) usage on [mail01](service) [since 8](time)",
         {"signal": "memory", "since": "2026-03-04T08:00"}),
        ("en", "show me the cpu of the [last 24 hours](time)", {"signal": "cpu", "since": "2026-03-03T10:30"}),
        ("en", "error rate for [payments](service) [yesterday](time)",
         {"signal": "errors", "since": "2026-03-03T00:00", "before": "2026-03-04T00:00"}),
        ("en", "how is the [boiler](service)", {"signal": "boiler", "since": SINCE}),
        ("en", "cpu [since noon](time)", {"signal": "cpu", "since": "2026-03-03T12:00"}),
        ("de", "Wie ist die Auslastung vom [Webserver](service)?", {"signal": "load", "since": SINCE}),
        ("de", "wieviel platz is no auf da platte", {"signal": "disk", "since": SINCE}),
        ("de", "wie war die last [gestern nacht](time) auf [prod-2](service)",
         {"signal": "load", "since": "2026-03-03T18:00", "before": "2026-03-04T06:00"}),
        ("fr", "espace disque restant sur [nas](service)", {"signal": "disk", "since": SINCE}),
        ("fr", "cpu de la prod [depuis une heure](time)", {"signal": "cpu", "since": "2026-03-04T09:30"}),
        ("es", "uso de memoria de [postgres](service)", {"signal": "memory", "since": SINCE}),
        ("es", "cómo anda la cpu del servidor [ahora](time)", {"signal": "cpu", "since": SINCE}),
    ],
)  # fmt: skip
def test_one_signal(language: str, line: str, args: dict[str, Any]) -> None:
    assert steps(BUILDERS, said(line, "server.metrics", language=language)) == [(METRICS, args)]
    QueryMetricsArgs.model_validate(args)


@pytest.mark.parametrize(
    ("language", "line", "args"),
    [
        ("en", "which dashboards are there", {}),
        ("en", "show me the dashboard for [checkout](service)", {"dashboard": "checkout"}),
        ("en", "what does the load panel of Web servers say [since nine](time)",
         {"dashboard": "Web servers", "panel": "load", "since": "2026-03-04T09:00"}),
        ("de", "Zeigen Sie mir bitte das Dashboard für [Nextcloud](service)", {"dashboard": "Nextcloud"}),
        ("fr", "montre le dashboard de [postgres](service)", {"dashboard": "postgres"}),
        ("es", "enséñame el dashboard de [producción](service)", {"dashboard": "producción"}),
    ],
)  # fmt: skip
def test_dashboards(language: str, line: str, args: dict[str, Any]) -> None:
    assert steps(BUILDERS, said(line, "server.metrics", language=language)) == [(DASHBOARD, args)]


@pytest.mark.parametrize(
    ("language", "line", "args"),
    [
        ("en", "errors in the logs [since 9](time)", {"signal": "errors", "since": "2026-03-04T09:00"}),
        ("en", "what do the logs of [nginx](service) say", {"words": ["nginx"], "since": SINCE}),
        ("en", "grep the logs for [timeout](topic)", {"words": ["timeout"], "since": SINCE}),
        ("en", "look through [postgres](service) logs for [deadlock](topic)", {"words": ["deadlock", "postgres"],
         "since": SINCE}),
        ("en", "errors in the [last hour](time) on [checkout](service)",
         {"signal": "errors", "words": ["checkout"], "since": "2026-03-04T09:30"}),
        ("en", "what did the [backup](service) say", {"signal": "backup", "since": SINCE}),
        ("de", "fehler in den logs?", {"signal": "errors", "since": SINCE}),
        ("de", "zeig die logs von [traefik](service) [letzte stunde](time)", {"words": ["traefik"],
         "since": "2026-03-04T09:30"}),
        ("de", "fehlerprotokoll [backup](service) zeigen", {"signal": "backup", "since": SINCE}),
        ("fr", "des erreurs dans les logs ?", {"signal": "errors", "since": SINCE}),
        ("fr", "cherche [timeout](topic) dans les logs de l'[api](service)", {"words": ["timeout", "api"],
         "since": SINCE}),
        ("es", "qué errores hay en los logs", {"signal": "errors", "since": SINCE}),
        ("en", "what did the [backup](topic) say [yesterday](time)?",
         {"signal": "backup", "since": "2026-03-03T00:00", "before": "2026-03-04T00:00"}),
        ("fr", "qu'a dit la [sauvegarde](topic) [hier](time) ?",
         {"signal": "backup", "since": "2026-03-03T00:00", "before": "2026-03-04T00:00"}),
        ("en", "errors in the logs since [9](time)", {"signal": "errors", "since": "2026-03-04T09:00"}),
        ("es", "busca [timeout](topic) en los logs de [redis](service)", {"words": ["timeout", "redis"],
         "since": SINCE}),
    ],
)  # fmt: skip
def test_logs(language: str, line: str, args: dict[str, Any]) -> None:
    found = steps(BUILDERS, said(line, "server.logs", language=language))
    assert found == [(LOGS, args)] if "words" in args or args["signal"] == "backup" else found[0] == (LOGS, args)
    QueryLogsArgs.model_validate(args)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Why is [the server](service) slow?"),
        ("de", "warum ist [der Server](service) so langsam"),
        ("fr", "pourquoi [le serveur](service) rame"),
        ("es", "por qué va lento [el servidor](service)"),
    ],
)
def test_why_it_is_slow_is_told_from_metrics_and_logs(language: str, line: str) -> None:
    read = [steps(BUILDERS, said(line, intent, language=language)) for intent in ("server.metrics", "server.logs")]
    assert read[0] == read[1]
    assert {tool for tool, _ in read[0]} == {METRICS, LOGS}


def test_a_time_that_is_not_understood_is_asked_about() -> None:
    output = made(
        BUILDERS, said("seit dem [Deployment](time) alles okay mit dem server?", "server.metrics", language="de")
    )
    assert isinstance(output, Unclear)
