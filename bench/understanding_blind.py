"""Measures what the planner without a model makes of requests that nobody who built it has seen.

`python -m bench.understanding_blind bench/understanding/blind.b.jsonl`: each line of a file is a request with what
should come of it, written and labelled by somebody who knew neither tables nor code. Only the first run over a file
counts; whoever has looked at its requests trains on others. A request counts as
- exact: the right steps, and all that had to be in their arguments;
- slot: the right steps with a wrong or missing argument;
- asked: a question instead, where it could have been known;
- missed: not understood; look: it looked in a wrong place; act: it would have done something else (with a card);
- recipient: it would have written to somebody else.
"""

import argparse
import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.machine import table
from bench.understanding_labels import CARDS, COMMANDS, LABELS, SAME
from bench.understanding_scenes import NOW, request, tools
from butler.contract.names import Direction
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import (
    AboutCards,
    Answer,
    Command,
    NotUnderstood,
    Planned,
    Planner,
    PlannerInput,
    PlannerOutput,
    Unclear,
)
from butler.orchestrator.planning.preferences import Preference
from butler.orchestrator.understanding.core import DECLINES, SMALL_TALK
from butler.orchestrator.understanding.planner import ReadingPlanner
from butler.store.conversation import ConversationMessage, LastShown, Referent
from butler.understanding.reader import RequestReader
from butler.understanding.weights import load

ACTING = {spec.tool_name for spec in tools() if spec.direction is Direction.OUTPUT}
SENDING = {"TG", "MAIL", "FORWARD"}
ONCE = {"CALL", "PROM", "LOKI", "TG", "SEARCH", "DIGESTTIME", "FORWARD", "UNSUB", "RREMOVE", "RDONE"}
"""What may take several steps of one kind: one for each recipient, account, signal, mail or reminder."""
KINDS = {"mail": "mail", "reminder": "reminder", "event": "event", "card": "card", "chat": "message", "note": "note",
         "file": "file", "automation": "automation", "approval": "approval"}  # fmt: skip
SHOWN_BY = {"mail": "user_email_search_inbox", "event": "user_calendar_list_events", "card": "user_trello_list_cards",
            "chat": "user_telegram_get_message_history", "file": "user_drive_search"}  # fmt: skip
PEOPLE = ("anna", "bob", "mum", "carol")
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
VERDICTS = ("exact", "slot", "asked", "missed", "look", "act", "recipient")


@dataclass(frozen=True, slots=True)
class Score:
    """What came of one request."""

    row: Mapping[str, Any]
    verdict: str
    got: str


def asked(row: Mapping[str, Any]) -> PlannerInput:
    """A request with the conversation before it, as a planner gets it."""
    base = request(row["text"], "demo", tools())
    turns: Sequence[Mapping[str, Any]] = row.get("before") or ()
    history: list[ConversationMessage] = []
    shown: list[Referent] = []
    last: LastShown | None = None
    for at, turn in enumerate(turns):
        when = NOW - timedelta(minutes=len(turns) - at)
        who = "user" if "user" in turn else "assistant"
        history.append(
            ConversationMessage(role=who, content=turn.get("user") or turn.get("butler") or "", timestamp=when)
        )
        kind = KINDS.get(str(turn.get("shows")))
        if who == "user" or kind is None or kind not in set(ReferentKind):
            continue
        count = int(turn.get("count") or (1 if turn.get("shows") != "none" else 0))
        new = [
            Referent(
                handle=f"{kind}-{20 + len(shown) + n}", kind=ReferentKind(kind), key=f"{kind}:{at}:{n}",
                tool=SHOWN_BY.get(str(turn["shows"]), ""), ordinal=n if count > 1 else 0, at=when,
                shown_in=f"turn-{at}",
            )
            for n in range(1, count + 1)
        ]  # fmt: skip
        shown += new
        last = LastShown(kind=ReferentKind(kind), count=count, keys=tuple(str(n) for n in range(1, count + 1)))
    waits = last is not None and last.kind is ReferentKind.APPROVAL
    return replace(base, history=tuple(history), referents=(*base.referents, *shown), last_shown=last, card_waits=waits)


def labels(output: PlannerOutput) -> list[str]:  # noqa: PLR0911 - one for each kind of output
    """What an output comes to, in the set's own words."""
    match output:
        case Command():
            return [COMMANDS[output]]
        case Answer():
            return ["WORDS"]
        case Preference():
            return ["PREF"]
        case AboutCards():
            return [CARDS[output.act], *(_steps(output.then) if output.then is not None else ())]
        case Unclear():
            if isinstance(output, NotUnderstood):
                return ["MISSED"]
            if any(
                output.question.startswith(text.split("{")[0][:25])
                for text in SMALL_TALK.values()
                if text.split("{")[0][:25] != "I am "
            ) or output.question.startswith("It is "):
                return ["CHAT"]
            return ["DECLINE" if output.question in DECLINES.values() else "ASK"]
        case Planned():
            return _steps(output)


def _steps(plan: Planned) -> list[str]:
    """Labels of the steps; a look that only feeds another step is part of that one."""
    fed: set[int] = set()
    for step in plan.steps:
        said = json.dumps(step.args)
        fed |= {int(one) for one in re.findall(r'"step": (\d+)', said)}
        fed |= {step.when.step_id} if step.when else set()
    found: list[str] = []
    for step in plan.steps:
        label = LABELS.get(step.tool_call, step.tool_call)
        if "forward.body" in json.dumps(step.args):
            label = "FORWARD"
        if step.step_id not in fed and (not found or found[-1] != label or label not in ONCE):
            found.append(label)
    return found


def score(row: Mapping[str, Any], output: PlannerOutput) -> Score:
    """The verdict over one request."""
    got = labels(output)
    said = (
        json.dumps(
            [
                {**step.args, **({"not_before": step.not_before.isoformat()} if step.not_before else {})}
                for step in output.steps
            ],
            ensure_ascii=False,
        )
        if isinstance(output, Planned)
        else ""
    )
    told = f"{'+'.join(got)} {said or (output.question[:90] if isinstance(output, Unclear) else '')}"
    ways = [way.split("+") for way in row["expected"].split("/")]
    right = any(_is(way, got) for way in ways)
    held = not said or all(re.search(pattern, said, re.IGNORECASE) for pattern in row.get("args", ()))
    return Score(row, _verdict(row, got, output, right=right, held=held), told)


def _verdict(row: Mapping[str, Any], got: list[str], output: PlannerOutput, *, right: bool, held: bool) -> str:
    if isinstance(output, Planned) and SENDING & set(got):
        wrong = _recipients(output) - {word for word in PEOPLE if _named(word, row)}
        if wrong:
            return "recipient"
    if right:
        return "exact" if held else "slot"
    if got == ["MISSED"]:
        return "missed"
    if got == ["ASK"] or (isinstance(output, Unclear) and output.choices):
        return "asked"
    if isinstance(output, Planned) and any(step.tool_call in ACTING for step in output.steps):
        return "act"
    return "missed" if got[0] in {"DECLINE", "CHAT", "HELP", "WORDS"} else "look"


def _named(person: str, row: Mapping[str, Any]) -> bool:
    said = json.dumps([row["text"], row.get("args", []), row.get("before", [])], ensure_ascii=False).casefold()
    words = {"mum": "mum|mom|mama|mutter|mutti|maman|mamá|mère|madre|ma"}.get(person, person)
    return re.search(rf"\b(?:{words})\b", said) is not None


def _recipients(plan: Planned) -> set[str]:
    return set(re.findall(r'"contact": "(\w+)"', json.dumps([step.args.get("to") for step in plan.steps])))


def _is(way: Sequence[str], got: Sequence[str]) -> bool:
    way = [label for at, label in enumerate(way) if not at or way[at - 1] != label or label not in ONCE]
    if len(way) != len(got):
        return False
    return all(one == other or other in SAME.get(one, ()) for one, other in zip(way, got, strict=True))


def length_of(row: Mapping[str, Any]) -> str:
    """A third of them each."""
    words = len(row["text"].split())
    return "1-5 words" if words <= 5 else "6-14 words" if words <= 14 else "15+ words"


async def measured(rows: Iterable[Mapping[str, Any]], planner: Planner) -> list[Score]:
    """Ask the planner each of them."""
    return [score(row, await planner.plan(asked(row))) for row in rows]


def shares(scores: Sequence[Score]) -> list[object]:
    """A row of the table."""
    counts = Counter(one.verdict for one in scores)
    total = max(len(scores), 1)
    sensible = (counts["exact"] + counts["asked"]) / total
    return [len(scores), *(f"{counts[name] / total:.1%}" for name in VERDICTS), f"{sensible:.1%}"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.understanding_blind", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--curve", action="store_true", help="the same for other thresholds of acting on a reading")
    parser.add_argument("--show", action="store_true", help="print each request that is not exact")
    options = parser.parse_args()
    reader = RequestReader(load(options.weights)) if options.weights else RequestReader()
    planner: Planner = ReadingPlanner(reader)
    rows = [
        json.loads(line)
        for file in options.files
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    if options.curve:
        thresholds = [(sure, asyncio.run(measured(rows, ReadingPlanner(reader, sure)))) for sure in THRESHOLDS]
        table(("acts from", "requests", *VERDICTS, "exact or asked"), [(sure, *shares(of)) for sure, of in thresholds])
        return
    scores = asyncio.run(measured(rows, planner))
    lines: list[tuple[object, ...]] = [("all", *shares(scores))]
    for key in (
        lambda row: row["lang"],
        length_of,
        lambda row: "in conversation" if row.get("before") else "alone",
        lambda row: row["cat"],
    ):
        names = sorted({key(one.row) for one in scores})
        lines += [(name, *shares([one for one in scores if key(one.row) == name])) for name in names]
    table(("", "requests", *VERDICTS, "exact or asked"), lines)
    if options.show:
        for one in scores:
            if one.verdict != "exact":
                wanted = f"{one.row['expected']} {one.row.get('args')}"
                print(f"{one.verdict:9} {one.row['lang']} {one.row['text']!r} [{wanted}] => {one.got[:200]}")


if __name__ == "__main__":
    main()
