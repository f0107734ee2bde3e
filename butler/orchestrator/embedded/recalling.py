"""What the butler has read, heard and been told: questions about it, lists of it, and having it forgotten.

A question goes to memory in the owner's own words. Whom it is from and what kind of thing it stands in are filters
only where the words say so.
"""

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import READABLE, find, item_at
from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.people import Person, Way, owner_of, person_at
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

SEARCH, LIST, FORGET = "bot_memory_search", "bot_memory_list", "bot_memory_forget"
FORGET_WHAT = phrase("What shall I forget? Say it like “forget what you know about the hotel”.")
FORGETTING = phrases(
    "forget [all|everything] [what|that] (you know|you remember|you have|you've read|you learned|i told you|you heard)"
    " (about|of|on)",
    "forget (all|everything|anything) (about|on|of)",
    "(delete|erase|remove|wipe|clear|scrap|drop|purge) (everything|all|what|anything) [that|what]"
    " (you know|you remember|you have|you saved|you stored|you've saved) (about|on|of|from)",
    "forget about", "(delete|erase|remove|wipe) from [your] memory [everything about]",
)  # fmt: skip
FORGET_ITEM = phrases("forget", "(delete|erase|remove) from [your] memory")
REMOVE, FROM_MEMORY = phrases("(delete|erase|remove|wipe|drop)"), phrases("from [your|the] memory")
LISTING = phrases(
    "(what is|what's|whats) in your memory", "what do you have in [your] memory",
    "what have you [got] in [your] memory",
    "(list|show) [me] (everything|all|what) [that] you (know|remember|have read|have saved|have in memory)",
    "(list|show) [me] [all] your (memory|memories|sources)", "what have you (read|saved|stored|learned)",
    "(which|what) sources (do you have|do you know|are there)",
    "what have you (read|saved|stored|learned) [so far|already|until now|lately]",
)  # fmt: skip
ALL_OF_IT = phrases(
    "what (do|did) you remember [so far|already|at all]", "what do you know [so far|already]",
    "what all do you (know|remember)", "(tell|show) me (what|everything) you (know|remember)",
)  # fmt: skip
"""Lists what is in memory, where there is a memory; else the notes are all that is remembered."""
ME = phrases("(about|of|on) (me|myself)")
OF_KIND = phrases("(which|what)", "(show|list|tell) [me] [which|what|the|all|all the]")
KINDS = {
    "documents": "document", "document": "document", "files": "document", "pages": "page", "page": "page",
    "websites": "page", "articles": "page", "mails": "mail", "emails": "mail", "chats": "chat", "notes": "note",
}  # fmt: skip
KNOWN = phrases(
    "[do|that] you (know|remember|have saved|have read|have stored|keep)", "have you (saved|read|stored|kept|learned)",
    "are in your memory", "(in|from) your memory", "[that] you've (saved|read|stored)",
)  # fmt: skip
ABOUT = phrases("(about|on|regarding|concerning)")
LOOK_UP = phrases(
    "(search|check|look in|look through|ask|search through) [in] (your|my) memory (for|about|on|whether)",
    "(search|check|look in|look through|go through|ask) (what you have read|what you know|everything) (for|about|on)",
)
IN_MINE = phrases("(look up|look|check|search|find out|find|see) [in|through] my")
INDIRECT = phrases(
    "(tell|show|remind) me", "let me know", "find out", "look up", "i (can't|cannot|don't|do not) remember",
    "i (forgot|forget|wonder|want to know|need to know|would like to know|was wondering|would love to know)",
    "(i'd like to know|i'd love to know|i'm wondering|im wondering|i'm curious|i need to find out)",
    "do you [happen to] know",
    "do you remember", "check", "any idea", "look [it] up",
)  # fmt: skip
ASKING = word_set("what what's whats when when's where where's who who's whose which how how's why")
WHETHER = word_set("if whether")
VERB_FIRST = word_set("is are was were does do did has have had will would can could isn't didn't doesn't")
PLACES = phrases("(in|from|on) (my|our|the|that|those|these)", "my", "in")
PLACE_KINDS = {
    "mail": "mail", "mails": "mail", "email": "mail", "emails": "mail", "documents": "document", "files": "document",
    "papers": "document", "pdfs": "document", "chats": "chat", "chat": "chat", "notes": "note",
}  # fmt: skip
SUBJECT_OF = phrases(
    "[what|when|where|why|how|who|which|whom] (did|does|has|had|is|was)", "(what|that|whether|if|when|where|why|how)"
)
SAID = word_set(
    "said says mentioned wrote sent told recommended suggested booked asked promised needs wants wanted meant"
)
PREPOSITIONS = word_set("at in on from to by until for with under of")
WHICH = word_set("what which whom whose")
ABOUT_IT = phrases("[can you|could you] tell me [more] about", "what can you tell me about", "what about")
PAPERS = word_set(
    "draft mail mails email emails letter letters message messages report contract document invoice text note notes"
)
SMALL_TALK = word_set(
    "weather temperature forecast capital president population joke poem song music world planet meaning "
    "king queen football match score lottery news stock stocks price bitcoin recipe rain sun moon universe"
)
NO_QUESTION = phrases("(do|does|did|have|has|can|could|will|would|had) not")
THE_WORLD = phrases(
    "(what is|what's|whats) the (time|date|day)", "what (time|day|date|year) is it",
    "what (day|date) is (today|tomorrow)",
    "(what is|what's) (today's|tomorrow's) date",
)  # fmt: skip
DEEDS = word_set("sent delivered received got arrived")
MESSAGES = word_set("mail email e-mail message text reply")
SENDING = phrases("i (tell|text|email|write|send|message|forward|reply|answer|say)", "you (write|tell|send|say)")
OURS = word_set("inbox mailbox telegram reminder reminders approval approvals pending okay")
"""What other tools know better."""
NOT_TITLES = word_set("i you we he she they it name language to about and or not mail email message note notes contact")
LONGEST_TITLE = 7
PERSONAL = word_set("my our mine we i i'm i've us me the that this those these")
VAGUE = word_set("it this that everything all them him her something anything nothing one")


def recall(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request that speaks of memory itself, or asks in a roundabout way; None where it is none."""
    bare = tail.bare()
    return _forget(bare, scene) or _list(bare, scene) or _look_up(bare, scene)


def _forget(bare: Tail, scene: Scene) -> PlannerOutput | None:
    words = bare.take(FORGETTING)
    if words is None and (start := bare.take(REMOVE)) is not None:
        split = start.find(FROM_MEMORY)
        words = split[0] if split and split[1].done else None
    if words is not None and (words.done or (words.word() in VAGUE and words.skip().done)):
        raise Asking(say(FORGET_WHAT))
    if words is not None:
        _need(FORGET, scene)
        return calls.plan(calls.forget(words=_plain(words)))
    start = bare.take(FORGET_ITEM)
    if start is None or not scene.has(FORGET):
        return None
    if start.word() in VAGUE and start.skip().done and start.word() != "it":
        sources = [r for r in scene.request.referents if r.kind is ReferentKind.SOURCE]
        if start.word() not in {"this", "that"} or not (sources or scene.request.replied_to):
            raise Asking(say(FORGET_WHAT))
    item = item_at(start, scene)
    if item is None or not item[1].done:
        return _forget_called(start)
    referent = find(item[0], scene, lambda name: f"forget {name}", READABLE)
    if referent is None or referent.kind is not ReferentKind.SOURCE:
        raise Asking(say("Show me first what I remember: “what do you have in memory?”."))
    return calls.plan(calls.forget(source={"handle": referent.handle}))


def _forget_called(start: Tail) -> Planned | None:
    """`forget the rental contract`: by its title, which the card shows before anything goes."""
    words = {token.word for token in start.tokens[start.at : start.end]}
    named = start.take(phrases("(the|my|our|that|this)"))
    if named is None or named.done or words & (OURS | NOT_TITLES) or len(words) > LONGEST_TITLE:
        return None
    return calls.plan(calls.forget(words=_plain(named)))


def _list(bare: Tail, scene: Scene) -> PlannerOutput | None:
    filters: dict[str, str] = {}
    rest = bare.take(LISTING)
    if rest is None and scene.has(LIST):
        rest = bare.take(ALL_OF_IT)
        rest = rest if rest is not None and (rest.done or rest.past(ME).done) else None
    if rest is None and (start := bare.take(OF_KIND)) is not None:
        start = start.past(phrases("web", "all [the]", "saved"))
        kind = KINDS.get(start.word())
        rest = start.skip().take(KNOWN) if kind else None
        filters = {"kind": kind} if kind else {}
    if rest is None:
        return None
    rest = rest.past(ME)
    about = rest.take(ABOUT)
    if about is None and not rest.done:
        return None
    if about is not None and not about.done:
        filters["words"] = _plain(about)
    _need(LIST, scene)
    return calls.plan(calls.list_memory(**filters))


def _look_up(bare: Tail, scene: Scene) -> PlannerOutput | None:
    if not scene.has(SEARCH):
        return None
    if (words := bare.take(LOOK_UP)) is not None and not words.done:
        return question(words, scene)
    start = bare.take(IN_MINE)
    if start is not None and (kind := PLACE_KINDS.get(start.word())) and kind == "document":
        asked = start.skip().past(phrases("for", "about", ","))
        return None if asked.done else calls.plan(calls.search_memory(asked.text, kind=kind, **_person(asked, scene)))
    if (thing := bare.take(ABOUT_IT)) is not None and not thing.done:
        return question(thing, scene) if grounded(bare, scene, at_least=1, about=thing) else None
    indirect = bare.take(INDIRECT)
    if indirect is not None and indirect.word() in ASKING | WHETHER and not indirect.skip().done:
        return question(indirect, scene) if grounded(indirect, scene) else None
    return None


def ask_memory(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a plain question about something of the owner's; None where it is none, or about the world at large."""
    bare = tail.bare()
    asks = bare.word() in ASKING or bare.word() in VERB_FIRST or bare.take(phrases("according to"))
    asks = asks or (bare.word() in PREPOSITIONS and bare.word(1) in WHICH)
    asks = asks and not bare.take(NO_QUESTION)
    if not scene.has(SEARCH) or not asks or not grounded(bare, scene):
        return None
    return question(bare, scene)


def grounded(tail: Tail, scene: Scene, *, at_least: int = 3, about: Tail | None = None) -> bool:
    """Whether a question is about something that the owner may have: not small talk, nor the world at large."""
    tail = about or tail
    words = [token.word for token in tail.tokens[tail.at : tail.end]]
    if len(words) < at_least or SMALL_TALK & {word.removesuffix("'s") for word in words}:
        return False
    if (
        {"you", "your", "u", "should"} & set(words)
        or OURS & set(words)
        or (DEEDS & set(words) and MESSAGES & set(words))
    ):
        return False
    if tail.take(THE_WORLD) or tail.find(SENDING):
        return False
    named = any(key == tuple(words[n : n + len(key)]) for key in scene.people for n in range(len(words)))
    return named or bool(PERSONAL & set(words)) or any(word.endswith("'s") for word in words[1:])


def question(tail: Tail, scene: Scene) -> Planned:
    """The step that looks for the answer."""
    kind = _kind(tail)
    return calls.plan(calls.search_memory(tail.text, **_person(tail, scene, kind.get("kind", "")), **kind))


def _person(tail: Tail, scene: Scene, kind: str = "") -> dict[str, str]:
    """The address of whose words are asked for, where it is plain by which way they came."""
    person = _whose(tail, scene)
    if person is None or len(person.contacts) != 1:
        return {}
    ways = person.ways()
    said = {"mail": Way.MAIL, "chat": Way.TELEGRAM}.get(kind)
    way = said if said in ways else ways[0] if len(ways) == 1 else None
    addresses = [a for a in person.contacts[0].addresses if way is not None and a.startswith(f"{way}:")]
    numbers = [a for a in addresses if a.rpartition(":")[2].isdigit()]
    return {"person": (numbers or addresses)[0]} if addresses else {}


def _whose(tail: Tail, scene: Scene) -> Person | None:
    """Whose words are asked for: `when did Anna say ...`, `Bob's draft`."""
    here = tail
    while not here.done:
        after = here.take(SUBJECT_OF)
        found = person_at(after, scene) if after else None
        said = person_at(here, scene) if found is None else None
        if said is not None and said[1].word() in SAID:
            found = said
        if found is None and (owner := owner_of(here, scene)) is not None and owner[1].word() in PAPERS:
            found = owner
        if found is not None and not found[1].done and found[0].contacts:
            return found[0]
        here = here.skip()
    return None


def _kind(tail: Tail) -> dict[str, str]:
    here = tail
    while not here.done:
        after = here.take(PLACES)
        if after is not None and (kind := PLACE_KINDS.get(after.word())):
            return {"kind": kind}
        here = here.skip()
    return {}


def _plain(tail: Tail) -> str:
    here = tail
    while here.word() in {"the", "a", "an", "my", "our", "any"} and not here.skip().done:
        here = here.skip()
    return one_line(here.text.strip('"“”„«» '))


def _need(tool: str, scene: Scene) -> None:
    if not scene.has(tool):
        raise Asking(not_set_up(tool))
