"""What people ask about their servers, in four languages; and what sounds like it and is something else."""

from dataclasses import replace

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.orchestrator.servers.named_signals import titles_of
from tests.orchestrator.operations.scene import LOGS, METRICS, TOOLS, looks, plan

SIX_HOURS_AGO = "03-04T04:30"
METRIC = ["cpu", "load", "memory", "disk", "errors"]
WHOLE = [*METRIC, "logs:errors", "logs:backup"]


@pytest.mark.parametrize(
    "words",
    [
        "Why is the server slow?", "why is my server so slow today?", "why's the nuc slow",
        "what's wrong with the NUC?",
        "is the server ok?", "is my server still up?", "how is the server doing?", "how's the NAS",
        "the server is slow",
        "the server is really slow again", "check the server", "is anything wrong with the server?",
        "how busy is the server?", "what went wrong on the server?", "why is the box so slow?",
        "the machine is sluggish",
        "hey Jeeves, why is the server slow", "status of the server", "what is going on with my home server?",
        "is the server slow?", "any problems with the server?",
        "Warum ist der Server langsam?", "warum ist mein Server heute so langsam?", "wie geht's dem Server?",
        "Was ist mit dem Server los?", "Wie ausgelastet ist der Server?",
        "der Server ist langsam", "ist mit dem Server alles in Ordnung?",
        "Pourquoi le serveur est-il lent ?", "pourquoi est-ce que le serveur est si lent ?", "comment va le serveur ?",
        "le serveur va bien ?", "que se passe-t-il avec le serveur ?",
        "¿Por qué el servidor va lento?", "¿por qué está tan lento el servidor?", "¿cómo está el servidor?",
        "¿qué le pasa al servidor?", "el servidor está muy lento",
    ],
)  # fmt: skip
async def test_a_server_is_looked_at_as_a_whole(words: str) -> None:
    found = await looks(words)
    assert [name for name, _, _ in found] == WHOLE
    assert {since for _, since, _ in found} == {SIX_HOURS_AGO}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("show me the CPU of the last 6 hours", ("cpu", SIX_HOURS_AGO, "")),
        ("show me the cpu of the last two hours", ("cpu", "03-04T08:30", "")),
        ("plot the CPU usage of the server since 9", ("cpu", "03-04T09:00", "")),
        ("cpu usage since yesterday", ("cpu", "03-03T00:00", "")),
        ("how full is the disk?", ("disk", SIX_HOURS_AGO, "")),
        ("how much disk space is left?", ("disk", SIX_HOURS_AGO, "")),
        ("how much memory is free?", ("memory", SIX_HOURS_AGO, "")),
        ("how much RAM is in use on the server", ("memory", SIX_HOURS_AGO, "")),
        ("how much memory does the server use?", ("memory", SIX_HOURS_AGO, "")),
        ("how is the job queue?", ("job_queue", SIX_HOURS_AGO, "")),
        ("show me the cpu at nine", ("cpu", "03-04T08:30", "03-04T09:30")),
        ("show me the load since nine", ("load", "03-04T09:00", "")),
        ("any errors since midnight?", ("logs:errors", "03-04T00:00", "")),
        ("what did the backup say yesterday?", ("logs:backup", "03-03T00:00", "03-04T00:00")),
        ("check the logs for errors", ("logs:errors", SIX_HOURS_AGO, "")),
        ("how high is the load", ("load", SIX_HOURS_AGO, "")),
        ("show me the memory of the server yesterday", ("memory", "03-03T00:00", "03-04T00:00")),
        ("show me the job queue of the last 3 days", ("job_queue", "03-01T10:30", "")),
        ("errors in the logs since 9", ("logs:errors", "03-04T09:00", "")),
        ("show me the errors in the logs since 23:15", ("logs:errors", "03-03T23:15", "")),
        ("are there any errors in the logs today?", ("logs:errors", "03-04T00:00", "")),
        ("what do the logs say", ("logs:errors", SIX_HOURS_AGO, "")),
        ("check the logs of the last hour", ("logs:errors", "03-04T09:30", "")),
        ("zeig mir die CPU-Last der letzten 6 Stunden", ("cpu", SIX_HOURS_AGO, "")),
        ("wie voll ist die Festplatte?", ("disk", SIX_HOURS_AGO, "")),
        ("wie viel Arbeitsspeicher ist noch frei?", ("memory", SIX_HOURS_AGO, "")),
        ("Fehler in den Logs seit 9 Uhr", ("logs:errors", "03-04T09:00", "")),
        ("montre-moi le CPU des 6 dernières heures", ("cpu", SIX_HOURS_AGO, "")),
        ("combien de mémoire reste-t-il ?", ("memory", SIX_HOURS_AGO, "")),
        ("les erreurs dans les logs depuis 9h", ("logs:errors", "03-04T09:00", "")),
        ("muéstrame la CPU de las últimas 6 horas", ("cpu", SIX_HOURS_AGO, "")),
        ("¿cuánta memoria queda?", ("memory", SIX_HOURS_AGO, "")),
        ("errores en los registros desde ayer", ("logs:errors", "03-03T00:00", "")),
    ],
)
async def test_one_thing_is_looked_at_over_the_time_that_was_said(words: str, expected: tuple[str, str, str]) -> None:
    assert await looks(words) == [expected]


@pytest.mark.parametrize(
    "words",
    [
        "show me my memory", "what do you remember", "remind me to check the server", "tell Anna the server is slow",
        "note that the server is slow", "show me the errors", "how is Anna", "what's wrong with Anna",
        "why is the train slow?", "how full is my calendar tomorrow?", "show me the disk", "open the box",
        "search my mail for server errors", "how much is left of the rent?", "why is the server slow and stupid",
        "show me the cpu of the last 4000 days", "remind me at 5 to look at the logs",
    ],
)  # fmt: skip
async def test_what_is_about_something_else_looks_at_no_server(words: str) -> None:
    found = await plan(words)
    steps = found.steps if isinstance(found, Planned) else ()
    assert not {step.tool_call for step in steps} & {METRICS.tool_name, LOGS.tool_name}


async def test_only_what_is_set_up_is_looked_at() -> None:
    only_metrics = tuple(tool for tool in TOOLS if tool.channel != "loki")
    assert [name for name, _, _ in await looks("why is the server slow?", tools=only_metrics)] == METRIC
    only_logs = tuple(tool for tool in TOOLS if tool.channel != "prometheus")
    assert [name for name, _, _ in await looks("why is the server slow?", tools=only_logs)] == ["logs:errors"]


async def test_where_nothing_is_set_up_one_sentence_says_where_to_look() -> None:
    neither = tuple(tool for tool in TOOLS if tool.channel not in {"prometheus", "loki"})
    found = await plan("why is the server slow?", tools=neither)
    assert isinstance(found, Unclear)
    assert "docs/how-to/ask-why-a-server-is-slow.md" in found.question


async def test_each_look_says_what_it_looks_at() -> None:
    output = await plan("why is the server slow?")
    assert isinstance(output, Planned), output
    said = [step.description for step in output.steps]
    assert said == [
        "Look at CPU", "Look at Load", "Look at Memory in use", "Look at Disk in use", "Look at Errors",
        "Read the logs: Errors", "Read the logs: The backup",
    ]  # fmt: skip


async def test_a_signal_of_the_owners_own_is_looked_at_by_its_title() -> None:
    output = await plan("show me the job queue of the last hour")
    assert isinstance(output, Planned), output
    assert [step.description for step in output.steps] == ["Look at Jobs"]


def test_titles_may_hold_commas_and_parentheses_and_nothing_behind_the_list_is_one() -> None:
    listed = "How it is. Signals: cpu (CPU (all cores) in use, %), web (5xx, 4xx). Say since (ISO), before (ISO)."
    spec = replace(METRICS, description=listed)
    assert titles_of(spec.tool_name, [spec]) == {"cpu": "CPU (all cores) in use, %", "web": "5xx, 4xx"}
    assert titles_of(spec.tool_name, [replace(spec, description="Nothing (of this) has a name.")]) == {}


@pytest.mark.parametrize(
    ("words", "sought", "since", "before"),
    [
        ("what do the logs say about rsync?", "rsync", SIX_HOURS_AGO, None),
        ("what do the logs say about rsync since nine?", "rsync", "03-04T09:00", None),
        ("search the server logs for “out of memory” yesterday", "out of memory", "03-03T00:00", "03-04T00:00"),
        ("look in the logs on the server for rsync", "rsync", SIX_HOURS_AGO, None),
        ("Was sagen die Logs über rsync?", "rsync", SIX_HOURS_AGO, None),
        ("was steht in den Logs zu rsync seit gestern", "rsync", "03-03T00:00", None),
        ("que disent les logs sur rsync ?", "rsync", SIX_HOURS_AGO, None),
        ("¿qué dicen los registros sobre rsync?", "rsync", SIX_HOURS_AGO, None),
    ],
)
async def test_the_logs_are_searched_for_the_owners_words(
    words: str, sought: str, since: str, before: str | None
) -> None:
    output = await plan(words)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    LOGS.args.model_validate(step.args)
    assert (step.tool_call, step.args["words"], step.args["since"][5:]) == (LOGS.tool_name, [sought], since)
    assert step.args.get("before", "")[5:] == (before or "")
    assert step.description == f"Read the logs: “{sought}”"


async def test_what_happened_at_an_hour_is_looked_for_around_it() -> None:
    found = await looks("what happened on the server at nine?")
    assert {(since, before) for _, since, before in found} == {("03-04T08:30", "03-04T09:30")}
    assert [name for name, _, _ in found] == WHOLE
