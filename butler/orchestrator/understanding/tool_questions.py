"""Builds questions about the tools themselves: `what can Trello do?`, `is Grafana reachable?`."""

import re
from functools import cache

from butler.contract.speech import phrase, say
from butler.contract.tables import table
from butler.contract.tool_envelope import Op
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Command, PlannerOutput
from butler.orchestrator.understanding.people.who import known, without_article
from butler.orchestrator.understanding.said import Builder, Said
from butler.understanding.stored_words import stored

PEOPLE = ("from", "to", "with")
DESCRIBE = "bot_tools_describe"
WHAT = {
    Op.HELP: phrase("Say what it can do"),
    Op.STATUS: phrase("See whether it can be used"),
    Op.LIST_METHODS: phrase("List its methods"),
    Op.LIST_PROVIDERS: phrase("List the providers"),
}


def help_with(said: Said) -> PlannerOutput:
    """`what can [Trello](service) do?`; all that Butler can where it has nothing of that name."""
    about = channel(said) or (_named(said) if said.request.intent == "tools.help" else "")
    return _describe(said, Op.HELP, about) if about and said.scene.has(DESCRIBE) else Command.HELP


def check(said: Said) -> PlannerOutput:
    """`is [Grafana](service) reachable?`."""
    about = channel(said)
    return _describe(said, Op.STATUS, about) if about else Command.STATUS


def methods(said: Said) -> PlannerOutput:
    """`which methods does [Trello](service) have?`; people have none."""
    person = any(known(words, said.scene) is not None for words in said.request.words("service"))
    if said.has(*PEOPLE) or (person and not channel(said)):
        raise Asking(say("I am not sure what you mean. Whom or what is it about, and what shall I do?"))
    return _describe(said, Op.LIST_METHODS, channel(said))


def providers(said: Said) -> PlannerOutput:
    """`which providers are there for [mail](service)?`."""
    return _describe(said, Op.LIST_PROVIDERS, channel(said))


def channel(said: Said) -> str:
    """Return the tools' name of the service that the owner names; empty if there is none."""
    words = without_article(" ".join(said.request.words("service"))).casefold()
    names = _names()
    return names.get(words) or next((names[one] for one in words.split() if one in names), "")


def _named(said: Said) -> str:
    """Return the tools' name of the only service in the text."""
    found = {_names()[one] for one in re.findall(r"\w+", said.request.text.casefold()) if one in _names()}
    return found.pop() if len(found) == 1 else ""


@cache
def _names() -> dict[str, str]:
    package = "butler.orchestrator.understanding"
    return {name: one for one in table(package, "services") for name in stored(package, "services", one)}


def _describe(said: Said, op: Op, about: str) -> PlannerOutput:
    said.need(DESCRIBE)
    return calls.plan(calls.call(DESCRIBE, say(WHAT[op]), op=op.value, about=about))


BUILDERS: dict[str, Builder] = {
    "tools.help": help_with, "command.help": help_with, "tools.check": check, "tools.methods": methods,
    "tools.providers": providers,
}  # fmt: skip
