"""Questions about boards: `show my boards`, `what's on the list To Do?`, `which cards are due this week?`."""

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.card_words import (
    BOARD,
    BOARDS,
    CARDS,
    LIST,
    READ,
    THE,
    Which,
    filters,
    look,
    name_at,
    need,
    shown_at,
)
from butler.orchestrator.embedded.items import find
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import PlannerOutput

SHOW_BOARDS = phrases(
    "(show|list|see|open|give) [me] [all] [of] [my|the] [trello] boards",
    "(which|what) [trello] boards [do i have|are there]", "[my] trello boards", "my boards", "do i have [any] boards",
    "(what's|what is) (on|in) [my] trello", "(show|open) [me] [my] trello", "what are my [trello] boards",
)  # fmt: skip
ON = phrases(
    "(what's|whats|what is|what are|show|show me|list|open|see) [the|all] [cards|everything] (on|in)",
    "(which|what) cards are (on|in)", "what do i have (on|in)",
)  # fmt: skip
SHOW = phrases("(show|list|open|see) [me]")
CARDS_NOUN = phrases(
    "(show|list|see|find|get|search for|look for|any|which|what) [me] [all] [of] [the|my] (cards|tasks|tickets)",
    "(are there|is there|do i have) [any] (cards|tasks|tickets)", "(show|list) [me] [the|all|all the] (cards|tasks)",
)  # fmt: skip
BARE_NOUN = phrases("[all] [my|the] (cards|tickets)")
OVERDUE = phrases(
    "(show|list|which|what) [me] [all] [of] [the|my] overdue (cards|tasks|tickets)", "(what's|what is) overdue",
    "(is|are) (anything|any cards|any tasks) overdue",
)  # fmt: skip
SEARCH = phrases(
    "(search|look) (trello|my trello|my boards|on trello) for",
    "(search|look) [through|in|on] [my] (trello|boards) for",
)
OPEN = phrases(
    "(read|show|open|see|display) [me]", "what does", "(tell me|what about) [more about]", "(what's|what is) on"
)
WHATS_ON = phrases(
    "(what's|whats|what is|show|show me|list|open) [everything|the cards|cards] (on|in)", "(open|show) [me]"
)


def boards(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a question about boards, lists or cards; None where it is none."""
    bare = tail.bare()
    return _boards(bare, scene) or _shown(bare, scene) or _cards(bare, scene) or _place(bare, scene)


def _boards(bare: Tail, scene: Scene) -> PlannerOutput | None:
    after = bare.take(SHOW_BOARDS)
    if after is None or not after.past(phrases("on trello")).done:
        return None
    need(BOARDS, scene)
    return calls.plan(calls.call(BOARDS, say("List your boards")))


def _shown(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`read the second one`, `what's on the first one?`."""
    for verbs, kind in ((WHATS_ON, ReferentKind.BOARD), (OPEN, ReferentKind.CARD)):
        start = bare.take(verbs) or bare
        shown = shown_at(start, scene, kind)
        alone = shown is not None and start is bare and not (shown[0].handle or shown[0].number)
        if shown is None or not shown[1].done or alone:
            continue
        referent = find(shown[0], scene, lambda name: f"open {name}", frozenset({kind}))
        if referent is None:
            continue
        handle = {"handle": referent.handle}
        if kind is ReferentKind.BOARD:
            need(CARDS, scene)
            return calls.plan(calls.call(CARDS, say("Look at your boards"), board=handle))
        need(READ, scene)
        return calls.plan(calls.call(READ, say("Read the card"), card=handle))
    return None


def _cards(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`which cards are due this week?`, `show the cards in Doing`, `search Trello for paint`."""
    if not scene.has(CARDS):
        return None
    if (words := bare.take(SEARCH)) is not None and not words.done:
        return calls.plan(look(Which(words=words.text.strip('"“”„«» '))))
    late = bare.take(OVERDUE)
    start = late if late is not None else bare.take(CARDS_NOUN)
    bare_noun = bare.take(BARE_NOUN) if start is None else None
    start = bare_noun if start is None else start
    found = filters(Which(overdue=late is not None), start, scene) if start is not None else None
    if found is None or (bare_noun is not None and found == Which()):
        return None
    return calls.plan(look(found))


def _place(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`what's on the list To Do?`, `what is on my board Home?`, `show the board Home`."""
    asked, start = bare.take(ON), bare.take(SHOW)
    begun = asked if asked is not None else start
    if begun is None or begun.done:
        return None
    here = begun.past(THE)
    kind = here.take(LIST) or here.take(BOARD)
    name, end = name_at(kind if kind is not None else here, scene)
    named = end.take(LIST) or end.take(BOARD) if kind is None else end
    if not name or named is None:
        return None
    is_board = here.take(BOARD) is not None or (kind is None and end.take(BOARD) is not None)
    found = filters(Which(board=name) if is_board else Which(in_list=name), named, scene)
    if found is None:
        return None
    need(CARDS, scene)
    return calls.plan(look(found))
