"""The texts that a model is given: instructions that all requests share, the chosen tools, and one request.

The instructions are the same for all requests of an installation, so that a provider can keep them in its cache; what
differs comes after them.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from heapq import merge

from butler.agents.languages import language_of
from butler.contract.names import ApprovalDefault
from butler.contract.referents import ReferentKind
from butler.contract.tools import ToolSpec
from butler.orchestrator.experts.expert import Expert
from butler.orchestrator.experts.placeholders import filled
from butler.orchestrator.planning.card_lines import card_line
from butler.orchestrator.planning.outcome_codes import meanings_of
from butler.orchestrator.planning.people_ids import short_ids
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.planning.planner_view import FactName
from butler.orchestrator.planning.preferences import PreferenceName
from butler.orchestrator.planning.tool_arguments import argument_lines
from butler.orchestrator.planning.worked_examples import examples_for
from butler.orchestrator.prompting import render
from butler.store.conversation import ConversationMessage, LastShown, Referent

HISTORY, HISTORY_CHARACTERS, LONGEST_MESSAGE = 24, 6_000, 2_000
"""The newest messages that a model is told, and the characters of all of them and of each."""
COMMON = ("role", "answering", "planning", "arguments", "rounds", "examples")
"""The files of `prompts/common` that every planner is given, in this order."""
BEYOND = "beyond"
"""The additional file for an expert."""

FEWEST_SHARED = 3
"""Arguments from which it is shorter to name the tool that was told of them before."""
SPEAKERS = {"user": "owner", "assistant": "you", "system": "before that, in short"}
SAID_TO = frozenset({PreferenceName.NAME, PreferenceName.PERSONA, PreferenceName.LENGTH})
"""The preferences that an answer in words keeps to; the language is told by itself."""


def instructions(request: PlannerInput) -> str:
    """Return the part of the prompt that all requests share, and then what the request's expert knows.

    An expert's own texts come last, its body and its skills, so that what all share stays in a provider's cache.
    """
    own = () if request.expert is None else tuple(_of_expert(request.expert, request))
    values = {
        "butler_name": request.butler_name,
        "examples": examples_for([spec.tool_name for spec in offered(request)]),
    }
    return "\n\n".join((*(render(f"common/{name}.md", values).rstrip() for name in COMMON), *own))


def _of_expert(expert: Expert, request: PlannerInput) -> Iterator[str]:
    values = {"butler_name": request.butler_name, "zone": request.zone.key}
    yield from (filled(text, values) for text in (expert.body, *expert.skills))
    yield render(f"common/{BEYOND}.md", values).rstrip()


def offered(request: PlannerInput) -> tuple[ToolSpec, ...]:
    """Return the tools that a plan may use: those of the request's expert, or all."""
    expert = request.expert
    return request.tools if expert is None else tuple(t for t in request.tools if expert.allows(t.tool_name))


def tools_text(request: PlannerInput, tools: Sequence[ToolSpec]) -> str:
    """Return what a model is told of these tools; arguments that several of them share are told once."""
    guides = {one.tool: one.text for one in request.expert.tools} if request.expert is not None else {}
    values = {"butler_name": request.butler_name, "zone": request.zone.key}
    shared = _SharedLines()
    told = [
        {
            "name": spec.tool_name,
            # A tool's description may name what exists here, such as the signals of this installation.
            "about": "\n".join(filter(None, (spec.told, filled(guides.get(spec.tool_name, spec.guide), values)))),
            "asks": _asks(spec, request),
            "arguments": shared.lines_of(spec),
            "facts": spec.facts,
        }
        for spec in tools
    ]
    return render("tools.md", {"tools": told})


def _asks(spec: ToolSpec, request: PlannerInput) -> bool:
    if request.asks is None:
        return spec.approval_default is not ApprovalDefault.NONE
    return spec.tool_name in request.asks


class _SharedLines:
    """Refers to the tool that was told of the same arguments before."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}

    def lines_of(self, spec: ToolSpec) -> list[str]:
        """Return the lines of a tool's arguments; of those told before, only the names where they are several."""
        lines = argument_lines(spec)
        known: dict[str, list[str]] = {}
        for line in lines:
            known.setdefault(self._told.get(line, ""), []).append(line)
        shared = {tool: same for tool, same in known.items() if tool and len(same) >= FEWEST_SHARED}
        as_there = {line for same in shared.values() for line in same}
        self._told |= {line: spec.tool_name for line in lines if line not in self._told}
        rest = [line for line in lines if line not in as_there]
        return [*rest, *(f"as in {tool}: {_names(same)}" for tool, same in shared.items())]


def _names(lines: Sequence[str]) -> str:
    return ", ".join(line.split(":", 1)[0] for line in lines)


def spoken_texts(request: PlannerInput) -> list[str]:
    """Return what is told: the owner's words, their message that these reply to, cards, what was said before."""
    return [
        request.words.value,
        request.own_reply,
        *(card_line(card, request) for card in request.cards),
        *(message.content for message in told_before(request)),
    ]


def told_before(request: PlannerInput) -> tuple[ConversationMessage, ...]:
    """Return the earlier messages that a model is told: the summary, and the newest for which there is room.

    What the butler said by itself stands among them, at its time.
    """
    room, newest = HISTORY_CHARACTERS, list[ConversationMessage]()
    said = merge(request.history[-HISTORY:], request.reports, key=lambda one: one.timestamp)
    for whole in reversed(list(said)):
        # A letter that the owner pasted leaves room for what was said before and since.
        message = whole.model_copy(update={"content": whole.content[:LONGEST_MESSAGE]})
        room -= len(message.content)
        if room < 0:
            break
        newest.append(message)
    summary = () if request.summary is None else (request.summary,)
    return (*summary, *reversed(newest))


def prompt(request: PlannerInput, said: Sequence[str] | None = None, *, wanted: str = "") -> str:
    """Render one request: the owner's words, and trusted metadata of everything else.

    `said` replaces `spoken_texts()` with the texts as the model may see them; `wanted` is what it asked tools for.
    """
    words, own_reply, *rest = said or spoken_texts(request)
    card_lines, history = rest[: len(request.cards)], rest[len(request.cards) :]
    earlier = told_before(request)
    short = short_ids(request)
    people = [
        {
            "contact_id": short[c.contact_id],
            "aliases": c.aliases,
            "channels": sorted({a.split(":", 1)[0] for a in c.addresses}),
        }
        for c in request.contacts
    ]
    return render(
        "request.md",
        {
            "source_line": request.source_line,
            "now": request.now.astimezone(request.zone).strftime("%A %Y-%m-%d %H:%M"),
            "zone": request.zone.key,
            "contacts": people,
            "referents": [handle_line(referent, request) for referent in request.referents],
            "history": [{"role": SPEAKERS[m.role], "content": said} for m, said in zip(earlier, history, strict=True)],
            "language": request.preferences.get(PreferenceName.LANGUAGE) or language_of(words) or request.language,
            "last_shown": _last(request.last_shown),
            "own_reply": own_reply,
            "others_reply": request.others_reply,
            "cards": card_lines,
            "facts": list(_known(request)),
            "codes": list(meanings_of(request.facts)),
            "words": words,
            "wanted": wanted,
            "preferred": [f"{name}: {value}" for name, value in sorted(request.preferences.items()) if name in SAID_TO],
        },
    )


def _last(shown: LastShown | None) -> str:
    """Return the kind and count of what was shown last: "the first one" means one of these and nothing older."""
    if shown is None:
        return ""
    if shown.unnamed:
        return f"{shown.unnamed} things that have no handle"
    count = "" if shown.count is None else f", {shown.count} of them"
    return f"{shown.kind.value}{count}"


def _known(request: PlannerInput) -> Iterator[str]:
    """Return the results of earlier rounds, a line per step: codes, numbers, handles and times, nothing else."""
    lines: dict[int, list[str]] = {}
    for fact in request.facts:
        line = lines.setdefault(fact.step, [f"step {fact.step}, {fact.tool}:"])
        value = _local(fact.value, request) if isinstance(fact.value, date) else str(fact.value)
        line.append(f"{fact.name.value} {value}" + ("" if fact.name is FactName.ITEM else ";"))
    return (" ".join(line).rstrip(";") for line in lines.values())


def handle_line(referent: Referent, request: PlannerInput) -> str:
    """Return a handle with its trusted metadata."""
    parts = [f"{referent.handle}: {referent.kind}"]
    if referent.kind is ReferentKind.AUTOMATION:
        # Its own number is not its place in a list.
        parts = [f"{referent.handle}: {referent.kind} {referent.key}"]
        standing = request.automations.get(referent.key)
        parts.append("gone" if standing is None else standing.value)
    if referent.ordinal:
        parts.append(f"number {referent.ordinal} in the list")
    if referent.contact_id:
        parts.append(f"from {short_ids(request).get(referent.contact_id, 'somebody known')}")
    if referent.begins:
        begins = "starts" if referent.kind is ReferentKind.EVENT else "due"
        parts.append(f"{begins} {_local(referent.begins, request)}")
    elif referent.at:
        parts.append(_local(referent.at, request))
    if referent in request.replied_to:
        parts.append("the owner replied to this")
    return ", ".join(parts)


def _local(at: date, request: PlannerInput) -> str:
    """Return a day, or a moment to the minute as arguments take it; without a zone it is the owner's wall time."""
    if not isinstance(at, datetime):
        return at.isoformat()
    return (at if at.tzinfo is None else at.astimezone(request.zone)).strftime("%Y-%m-%dT%H:%M")
