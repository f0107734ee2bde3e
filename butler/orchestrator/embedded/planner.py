"""The planner without a model: reads the owner's words by a grammar, asks when unsure, never guesses a recipient."""

import asyncio
import unicodedata
from collections.abc import Callable
from dataclasses import replace

from butler.contract.names import Direction
from butler.contract.provenance import Labelled
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda import agenda
from butler.orchestrator.embedded.agenda_changing import change_event
from butler.orchestrator.embedded.agenda_making import make_event
from butler.orchestrator.embedded.agenda_many import many_events
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.automating import automate, automate_by_clock
from butler.orchestrator.embedded.birthdays import add_birthdays
from butler.orchestrator.embedded.boards import boards
from butler.orchestrator.embedded.boards_changing import change_cards
from butler.orchestrator.embedded.boards_making import make_card
from butler.orchestrator.embedded.calling import call
from butler.orchestrator.embedded.carrying_on import about, asked_again, further, said_before, saying
from butler.orchestrator.embedded.chatting import chat
from butler.orchestrator.embedded.consulting import ask_shown, consult, consult_shown
from butler.orchestrator.embedded.dashboards import dashboard_over_time
from butler.orchestrator.embedded.digesting import digesting
from butler.orchestrator.embedded.drafting import draft_from
from butler.orchestrator.embedded.filing import drive, files
from butler.orchestrator.embedded.following import follow_up
from butler.orchestrator.embedded.forwarding import forward
from butler.orchestrator.embedded.further_asked import sure_of_all
from butler.orchestrator.embedded.hanging import if_it_says, remind_of_text
from butler.orchestrator.embedded.help import NOT_UNDERSTOOD
from butler.orchestrator.embedded.inviting import invite, leave_list
from butler.orchestrator.embedded.keeping import keep, seek
from butler.orchestrator.embedded.knowing import know
from butler.orchestrator.embedded.languages.reading import in_english, read_foreign
from butler.orchestrator.embedded.later import later
from butler.orchestrator.embedded.leftover import without_leftovers
from butler.orchestrator.embedded.letting_go import last_said, let_go, says_forget_that
from butler.orchestrator.embedded.lexer import Tail, lex, word_set
from butler.orchestrator.embedded.lookups import lookup
from butler.orchestrator.embedded.manners import without_ending, without_manners
from butler.orchestrator.embedded.many import many
from butler.orchestrator.embedded.many_again import more_of_the_same
from butler.orchestrator.embedded.mending import mend
from butler.orchestrator.embedded.missing import missing
from butler.orchestrator.embedded.mistyped import corrected
from butler.orchestrator.embedded.of_this import of_this, with_reply
from butler.orchestrator.embedded.preference import preference
from butler.orchestrator.embedded.reading import read
from butler.orchestrator.embedded.recalling import ask_memory, recall
from butler.orchestrator.embedded.reminding import list_reminders, remind
from butler.orchestrator.embedded.reminding_changes import change_reminder
from butler.orchestrator.embedded.removing import of_its_kind, remove
from butler.orchestrator.embedded.repeating import repeat
from butler.orchestrator.embedded.replying import reply
from butler.orchestrator.embedded.routed import names_somebody, routed
from butler.orchestrator.embedded.router import Router
from butler.orchestrator.embedded.scene import Scene, scene_of
from butler.orchestrator.embedded.searching import search
from butler.orchestrator.embedded.send import send
from butler.orchestrator.embedded.servers import servers
from butler.orchestrator.embedded.splitting import Pair, pairs, shared_verb
from butler.orchestrator.embedded.status_words import own_status
from butler.orchestrator.embedded.storage_links import storage_link
from butler.orchestrator.embedded.storing import store
from butler.orchestrator.embedded.threads import threads
from butler.orchestrator.embedded.tidying import tidy
from butler.orchestrator.embedded.tool_questions import tool_questions
from butler.orchestrator.embedded.travelling import travel
from butler.orchestrator.embedded.waiting import waiting
from butler.orchestrator.planning.last_shown import pointed
from butler.orchestrator.planning.plan_types import (
    Choice,
    NotUnderstood,
    Planned,
    PlannerInput,
    PlannerOutput,
    Unclear,
    owners,
)

Kind = Callable[[Tail, Scene], PlannerOutput | None]

KINDS: tuple[Kind, ...] = (
    travel, change_reminder, tool_questions, own_status, preference, digesting, waiting,
    servers, call, storage_link, lookup, dashboard_over_time, store, repeat, agenda, add_birthdays,
    make_event, many_events, change_event, boards, make_card, change_cards, list_reminders,
    remind_of_text, remind, keep, know, draft_from, consult, missing, drive, recall,
    seek, invite, leave_list, consult_shown, reply, forward, tidy, many, mend, chat, threads, files, read, search, send,
    ask_shown, ask_memory,
)  # fmt: skip
"""Tried in order; the first that knows the words decides."""
MOST_REQUESTS = 4
"""In one message."""
ENGLISH = word_set(
    "the my your you i i'm i'd i'll what what's when where who which why how is are did does do any tell show remind "
    "send read reply forward open check search find look list let give get write ask answer forget remember could can "
    "would please have has call this that it anything unread about with from and hey hello"
)
"""Words of no other language that is read here; one at the beginning and English is tried first, for it is quicker."""
FIRST_WORDS = 4
PICTURES = frozenset({"So", "Sk", "Cf", "Mn", "Me", "Cn", "Co"})
"""Kinds of signs that emoji are made of: pictures, skin tones, joiners and variants."""
ASK_WHOLE = phrase("What is that about? Ask me the whole question, like “when does my lease end?”.")
TEXTS = frozenset({"bot_reminders_create", "bot_notes_remember"})
"""Their texts may well name further things to do."""


class EmbeddedPlanner:
    """Meets the `Planner` port. Deterministic; asks nobody. With a `router` it guesses at what no grammar knows."""

    def __init__(self, router: Router | None = None) -> None:
        self._router = router

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Read one request. Never raises."""
        request = _without_signs(request)
        scene = of_this(scene_of(request))
        if isinstance(scene, Unclear):
            return scene
        found = _let_go(scene) or remove(scene) or await self._carried_on(scene) or await self._understood(scene)
        found = with_reply(found)
        return pointed(of_its_kind(found, scene), request) if found else NotUnderstood(say(NOT_UNDERSTOOD))

    async def _understood(self, scene: Scene) -> PlannerOutput | None:
        found = _read(scene) or _goes_on(in_english(scene))
        if self._router is not None and (found is None or _any_question(found, scene)):
            found = await asyncio.to_thread(_guessed, self._router, found, scene)
        return sure_of_all(found, scene)

    async def _carried_on(self, scene: Scene) -> PlannerOutput | None:
        """What is made of words that ask further after a question; None where they mean something without it."""
        more = further(scene.request.words.value)
        if more is None:
            return None
        words = said_before(scene)
        if more.subject:
            anew = about(words, more.subject, scene) if words else None
            output = await self._understood(saying(scene, anew)) if anew else None
            return output if output is not None and _is_look(output, scene) else None
        output = await self._understood(saying(scene, words)) if words else None
        question = asked_again(output, more.asked) if output is not None and _is_look(output, scene) else None
        return question or Unclear(say(ASK_WHOLE))


def _without_signs(request: PlannerInput) -> PlannerInput:
    """The request without emoji and other pictures before its first word; what is all pictures stays as it is."""
    said = request.words.value
    words = said.lstrip("".join({sign for sign in said if sign.isspace() or unicodedata.category(sign) in PICTURES}))
    if not words or words == said.lstrip():
        return request
    return replace(request, words=owners(Labelled(value=words, origins=request.words.origins)))


def _goes_on(scene: Scene) -> PlannerOutput | None:
    """What is meant by words that mean nothing without what was said before, all of it in English."""
    return follow_up(scene, _understand) or more_of_the_same(scene)


def _let_go(scene: Scene) -> PlannerOutput | None:
    if not says_forget_that(scene):
        return None
    words = last_said(scene)
    try:
        return let_go(_read(saying(scene, words)) if words else None, scene)
    except Asking as asking:
        return asking.unclear


def _read(scene: Scene) -> PlannerOutput | None:
    """What is meant, now or whenever something happens or a time comes."""
    try:
        if (whenever := automate(scene, _read)) is not None:
            return whenever
        found = _read_once(scene)
        again = automate_by_clock(scene, _read_once) if found is None or isinstance(found, Unclear) else None
    except Asking as asking:
        return asking.unclear
    return again or found


def _read_once(scene: Scene) -> PlannerOutput | None:
    """What is meant in English or in another language, the likelier first."""
    said, now = scene.request.words.value, scene.now()
    english_first = any(token.word in ENGLISH for token in lex(said).tokens[:FIRST_WORDS])
    for foreign in (False, True) if english_first else (True, False):
        found = read_foreign(scene, _understand) if foreign else _understand(scene)
        if found is not None:
            return without_leftovers(found, said, now, foreign=foreign)
    return None


def _guessed(router: Router, found: PlannerOutput | None, scene: Scene) -> PlannerOutput | None:
    """What the router makes of words that no grammar knows, or of a question that may be about anything."""
    words = scene.request.words.value
    if found is not None:
        return _perhaps(words) if router.is_idle(words) else found
    meaning = router.meaning(words)
    return routed(meaning, scene) if meaning else None


def _perhaps(words: str) -> Unclear:
    """A question that seems to be about nothing of the owner's, with a button for when it is."""
    look = choice(say("Look for that in what I have read"), f"search your memory for {' '.join(words.split())}")
    return NotUnderstood(say(NOT_UNDERSTOOD), (look,))


def _any_question(found: PlannerOutput, scene: Scene) -> bool:
    """Whether a plan only asks memory, of nobody and nothing in particular."""
    steps = found.steps if isinstance(found, Planned) else ()
    asked = [(step.tool_call, list(step.args)) for step in steps] == [("bot_memory_search", ["question"])]
    return asked and not names_somebody(lex(scene.request.words.value), scene)


def _understand(scene: Scene) -> PlannerOutput | None:
    """Steps, a question or a command; None where no kind of request knows the words."""
    words = lex(scene.request.words.value)
    found = _requests(words, scene)
    if found is not None and not isinstance(found, Unclear):
        return found
    # What means nothing as it stands may mean something without its manners, or without a slip of the finger.
    shorter = without_ending(words)
    again = _requests(shorter, scene) if shorter.end < words.bare().end else None
    if again is not None and not isinstance(again, Unclear):
        return again
    for said in (words, shorter) if found is None else ():
        if (mended := corrected(said, scene)) and (again := _requests(mended, scene) or again):
            return again
    return found or again


def _requests(words: Tail, scene: Scene, most: int = MOST_REQUESTS) -> PlannerOutput | None:
    tail = without_manners(words, scene.request.butler_name)
    if (conditional := _conditional(tail, scene)) is not None:
        return conditional
    for pair in pairs(tail, scene) if most > 1 else ():
        first, second = _one(pair.first, scene), _requests(pair.second, scene, most - 1)
        if second is not None and (both := _both(pair, first, second, scene)) is not None:
            return both
    found = _one(tail, scene)
    if most > 1 and (found is None or isinstance(found, Unclear)):
        return _same_verb(tail, scene, most) or found
    return found


def _conditional(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """What is all to be done under one condition."""
    try:
        return if_it_says(tail, scene, _requests)
    except Asking as asking:
        return asking.unclear


def _same_verb(tail: Tail, scene: Scene, most: int) -> PlannerOutput | None:
    """Two requests with one verb, where both only look: `check my mail and my Telegram`."""
    for first, words in shared_verb(tail):
        one = _one(first, scene)
        two = _requests(lex(words), scene, most - 1) if isinstance(one, Planned) and _only_looks(one, scene) else None
        if isinstance(one, Planned) and isinstance(two, Planned) and _only_looks(two, scene):
            return calls.plan(*one.steps, *calls.moved(two, len(one.steps)))
    return None


def _is_look(output: PlannerOutput, scene: Scene) -> bool:
    """Whether nothing is done but looking, or it is asked where."""
    return (
        _only_looks(output, scene)
        if isinstance(output, Planned)
        else isinstance(output, Unclear) and bool(output.choices)
    )


def _only_looks(plan: Planned, scene: Scene) -> bool:
    acting = {spec.tool_name for spec in scene.request.tools if spec.direction is Direction.OUTPUT}
    return not any(step.tool_call in acting for step in plan.steps)


def _one(tail: Tail, scene: Scene) -> PlannerOutput | None:
    try:
        return later(tail, scene, _at_once) or _at_once(tail, scene)
    except Asking as asking:
        return asking.unclear


def _at_once(tail: Tail, scene: Scene) -> PlannerOutput | None:
    try:
        return next((output for kind in KINDS if (output := kind(tail, scene)) is not None), None)
    except Asking as asking:
        return asking.unclear


def _both(pair: Pair, first: PlannerOutput | None, second: PlannerOutput, scene: Scene) -> PlannerOutput | None:
    """Both requests as one plan where that is sure, else the question; None where it is all one text."""
    if isinstance(first, Unclear) and first.choices and isinstance(second, Planned) and pair.sure:
        return Unclear(first.question, tuple(Choice(c.label, f"{c.words}; {pair.second.text}") for c in first.choices))
    if not isinstance(first, Planned):
        return None
    if _finds(first) and _points(second, pair.second):
        return Unclear(say("One at a time, please: I can only speak of what I have shown you."))
    looking = isinstance(second, Planned) and _only_looks(first, scene) and _only_looks(second, scene)
    if isinstance(second, Planned) and (pair.sure or looking):
        return calls.plan(*first.steps, *calls.moved(second, len(first.steps)))
    if not isinstance(second, Planned) and first.steps[-1].tool_call in TEXTS:
        return None
    both = [choice(say("Both, one after the other"), f"{pair.first.text}; {pair.second.text}")]
    return Unclear(_perhaps_two(pair, scene), tuple(both) if isinstance(second, Planned) else ())


def _perhaps_two(pair: Pair, scene: Scene) -> str:
    if scene.translated:
        return say("Are these two requests? Say one at a time, or put the text of a message in quotes.")
    return say(
        "Are these two requests, “{first}” and “{second}”? Say one at a time, or put the text of a message in quotes.",
        first=pair.first.text,
        second=pair.second.text,
    )


def _finds(plan: Planned) -> bool:
    return any(step.tool_call.endswith("_search_inbox") for step in plan.steps)


def _points(output: PlannerOutput, words: Tail) -> bool:
    """True where a shown item is meant that the words do not name: it could be one of those to be found first."""
    if not isinstance(output, Planned):
        return True
    said = words.text.casefold()
    ids = [step.args.get("message_id") for step in output.steps]
    return any(item is not None and "handle" in item and item["handle"] not in said for item in ids)
