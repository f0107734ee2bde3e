"""Builds requests about cards that wait or were withdrawn: `actually send it`, `deny all`, `make that 15 minutes`.

The planner sees no cards, so the output only says what is wanted and in which words; `edits/unreplied.py` finds the
card.
"""

from butler.orchestrator.planning.plan_types import AboutCards, CardAct, Command, PlannerOutput
from butler.orchestrator.planning.spoken import spoken
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.refs import ALL, pointed
from butler.orchestrator.understanding.times.meant import meant_times

NAMING = ("topic", "to", "with", "from", "title", "time_of")
"""Slots that identify a card to send or deny."""
OLD = ("topic", "from", "time_of")
"""Slots that identify a card to change; the others hold new values."""
POINTING = ("ref", *OLD)


def show(said: Said) -> PlannerOutput:
    """`what waits for my approval`; `what am I waiting for` is about others' answers."""
    return Command.WAITING if says("i_wait", said.request.text) else Command.PENDING


def send(said: Said) -> PlannerOutput:
    """`actually send it`; a yes itself is only given by the button."""
    act, sure = CardAct.SEND, said.request.confidence
    return AboutCards(act, _named(said, NAMING), _every(said), language=said.language, confidence=sure)


def deny(said: Said) -> PlannerOutput:
    """`cancel the [family](topic) one`, `deny [all](ref)`, `never mind`. A plain `stop` always stops everything."""
    meant = spoken(said.request.text, said.scene.request.butler_name)
    if meant is Command.PAUSE and not said.request.slots:
        return Command.PAUSE
    otherwise = meant if meant is Command.UNDO or meant is Command.PAUSE else Command.PENDING
    return AboutCards(
        CardAct.DENY,
        _named(said, NAMING),
        _every(said),
        language=said.language,
        otherwise=otherwise,
        confidence=said.request.confidence,
    )


def change(said: Said) -> PlannerOutput:
    """`make it [seven](time)`, `instead to [carol](to)`."""
    meant = meant_times(said)
    slots = meant.request.slots
    values = tuple((one.slot, one.text) for one in slots if one.slot not in POINTING)
    # In "Tuesday, not Monday", Monday is the card's present value.
    refused = tuple(bare(one.text) for one in said.request.slots if one.slot == "time" and one not in slots)
    named, sure = (*_named(meant, OLD), *refused), said.request.confidence
    return AboutCards(CardAct.CHANGE, named, values=values, language=said.language, confidence=sure)


def undo(_said: Said) -> PlannerOutput:
    """`put [them](ref) back`: what was approved last and has not begun, or else the last run."""
    return Command.UNDO


def _named(said: Said, slots: tuple[str, ...]) -> tuple[str, ...]:
    words = tuple(bare(words) for slot in slots for words in said.request.words(slot))
    # "the Ramesh one" may be marked as something pointed at.
    refs = (one for one in said.request.words("ref") if not _points(one, said.language))
    return (*words, *(bare(one) for one in refs))


def _points(words: str, language: str) -> bool:
    """Return whether words only point: `it`, `both`, `the second one`."""
    found = pointed(words, language)
    return bool(found.every or found.numbers or found.last or found.first) or len(words.split()) == 1


def _every(said: Said) -> bool:
    """Return whether the words mean all cards, in any slot or in none: `deny all of them`, `lass sie alle weg`."""
    return any(pointed(one, said.language).every for one in said.request.words("ref")) or bool(
        not said.request.slots and ALL.search(said.request.text)
    )


BUILDERS: dict[str, Builder] = {
    "approve.list": show, "approve.all": send, "approve.deny": deny, "answer.no": deny,
    "approve.change": change, "undo": undo,
}  # fmt: skip
