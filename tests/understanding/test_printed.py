"""What README, docs and help print as a request is understood: in the words printed, and in three paraphrases of each.

`printed.toml` was written from the pages alone, by somebody who had seen nothing of how requests are understood.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import pytest

from bench.understanding_blind import ACTING, asked
from bench.understanding_labels import COMMANDS
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import AboutCards, Command, Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.planning.stop_planner import StopPlanner
from butler.orchestrator.understanding.planner import ReadingPlanner
from butler.understanding.reader import RequestReader
from butler.understanding.tables import LANGUAGES

EXAMPLES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("printed.toml").read_text(encoding="utf-8"))[
    "example"
]
SHOWN = {
    "mails": ("mail", 5), "mail": ("mail", 1), "forwarded mail": ("mail", 1), "card": ("card", 1),
    "event": ("event", 1), "events": ("event", 3), "event of a series": ("event", 1), "reminders": ("reminder", 3),
    "reminder said": ("reminder", 1), "drive files": ("file", 3), "drive file read": ("file", 1), "file": ("file", 1),
    "automations": ("automation", 2), "reply": ("chat", 1), "note kept": ("note", 1),
}  # fmt: skip
FEW = 6
"""Each how many of the 418 examples is tried in the daily suite; the nightly one tries all."""
MISREAD: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("misread.toml").read_text(encoding="utf-8"))
"""Paraphrases that do not come to what was meant, by language."""
AT_ONCE = 0.95
"""The least share of paraphrases that come to what was meant at once; most others have it on a button."""
PARAPHRASES = 3
"""The fewest paraphrases of an example that come to what was meant, at once or by a button of the question."""
READER = RequestReader()


def examples(language: str) -> Iterator[dict[str, Any]]:
    """Those that need no model, and nothing that is not set up here."""
    return (one for one in EXAMPLES if one["language"] == language and "needs" not in one)


def owners_file(one: PlannerInput) -> PlannerInput:
    """The files shown as ones that the owner sent, and not found in a Drive."""
    sent = tuple(r.model_copy(update={"tool": ""}) if r.kind is ReferentKind.FILE else r for r in one.referents)
    return replace(one, referents=sent)


async def planned(words: str, example: dict[str, Any]) -> PlannerOutput:
    """What the words come to, after what is printed before them."""
    given = asked({"text": words, "before": list(before(example))})
    return await StopPlanner(ReadingPlanner(READER)).plan(
        owners_file(given) if example.get("after") == "file" else given
    )


def fits(output: PlannerOutput, example: dict[str, Any]) -> bool:
    """Whether it is what is printed."""
    got, ways = names(output), example.get("any") or [example["tools"]]
    acts = [one for one in got if one in ACTING]
    return (
        any(got == way for way in ways)
        or (bool(acts) and any(acts == [one for one in way if one in ACTING] for way in ways))
        or (isinstance(output, Unclear) and ["ask"] in ways)
    )


def offers(output: PlannerOutput, example: dict[str, Any]) -> bool:
    """Whether a button of a question is what is printed."""
    choices = output.choices if isinstance(output, Unclear) else ()
    return any(fits(Planned(one.steps), example) for one in choices if one.steps)


def before(example: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if words := example.get("before"):
        yield {"user": words}
        yield {"butler": "Here is what I found.", "shows": "note" if example.get("after") == "note kept" else "none"}
    elif (after := example.get("after")) in SHOWN:
        kind, count = SHOWN[after]
        yield {"butler": "Here they are.", "shows": kind, "count": count}


def names(output: PlannerOutput) -> Sequence[str]:
    """The tools of a plan, or the command, as `printed.toml` names them."""
    match output:
        case Planned():
            return [tool for tool, _ in groupby(step.tool_call for step in output.steps)]
        case Command():
            return [output.value]
        case AboutCards():
            return [output.act.value, COMMANDS.get(output.otherwise, "")] if output.otherwise is Command else ["undo"]
        case Unclear():
            return []
        case _:
            return ["preference"]


@pytest.mark.parametrize("every", [FEW, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_printed_is_understood(language: str, every: int) -> None:
    tried = islice(examples(language), 0, None, every)
    found = {one["words"]: (await planned(one["words"], one), one) for one in tried}
    assert not {words: output for words, (output, one) in found.items() if not fits(output, one)}


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
async def test_paraphrases_of_what_is_printed_are_understood(language: str) -> None:
    found = [(await planned(words, one), one, words) for one in examples(language) for words in one["paraphrases"]]
    understood = Counter(id(one) for output, one, _ in found if fits(output, one) or offers(output, one))
    assert not [one["words"] for one in examples(language) if understood[id(one)] < PARAPHRASES]
    otherwise = {words: (output, one) for output, one, words in found if not fits(output, one)}
    misread = {words for words, (output, one) in otherwise.items() if not offers(output, one)}
    assert misread == set(MISREAD[language])
    assert len(otherwise) / len(found) <= 1 - AT_ONCE, list(otherwise)
