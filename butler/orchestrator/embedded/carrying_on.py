"""A question that goes on from the one before: `and when?`, `what about Bob?`, `und wo?`.

It is made whole out of what the owner said in this conversation, and of nothing else: one's own words of before, with
the question word or the name of now. What was answered has no part in it.
"""

from dataclasses import dataclass, replace

from butler.contract.provenance import Labelled, Trust
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.lexer import Tail, lex, phrases, word_set
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

AND = phrases("(and|und|et|y|e)")
ASKED = phrases(
    "when", "where", "who", "why", "since when", "until when", "from whom", "how (much|many|long|often|far)",
    "[at] what time", "which one",
    "wann", "wo", "wer", "wohin", "warum", "wieso", "wie (viel|viele|lange|oft|weit)", "wieviel", "wieviele",
    "seit wann", "bis wann", "von wem", "um wie viel uhr", "um wieviel uhr",
    "quand", "où", "ou", "qui", "pourquoi", "combien [de temps]", "depuis quand", "jusqu'à quand", "de qui",
    "à quelle heure", "lequel", "laquelle",
    "(cuándo|cuando)", "(dónde|donde)", "(quién|quien)", "por (qué|que)", "(cuánto|cuanto) [tiempo]",
    "(cuántos|cuántas|cuantos|cuantas)", "desde (cuándo|cuando)", "hasta (cuándo|cuando)", "de (quién|quien)",
    "a (qué|que) hora", "(cuál|cual)",
)  # fmt: skip
"""What may be asked of the same thing, in a word or two."""
ASKED_BEFORE = phrases(*(" ".join(one) for one in ASKED.options), "(what|what's|was|how|wie|que|qué|comment|cómo)")
"""What a question begins with; another takes its place."""
IT_WAS = phrases("(it was|that was|es war|das war|c'était|c'est)")
EXACTLY = phrases(
    "(was|is|were|are|did) (that|this|it|they|he|she)", "exactly", "(was|is) it exactly", "(war|ist) (das|es) [genau]",
    "genau", "(exactement|précisément)", "[était] (c'était|était-ce|est-ce|c'est)", "(fue|es|era) [eso]", "exactamente",
)  # fmt: skip
WHAT_ABOUT = phrases(
    "(what|how) about", "what of", "was ist mit", "wie (ist|sieht) es [aus] (mit|bei)", "und (was ist mit|bei)",
    "qu'en est-il (de|pour)", "et pour", "(qué|que) (hay|pasa|tal) (de|con)",
)  # fmt: skip
PREPOSITIONS = word_set(
    "about for in on at from of by with to über für im am bei von vom mit zum zur aus nach sur pour dans chez avec "
    "sobre para en con del"
)
LONGEST, MOST = 5, 5
"""Words of what is asked about instead, and questions in a row that go on from one."""


@dataclass(frozen=True, slots=True)
class Further:
    """What is asked further: another thing of the same (`when`), or the same of somebody or something else."""

    asked: str = ""
    subject: str = ""


def further(words: str) -> Further | None:
    """What words ask further; None where they say something of their own."""
    start = lex(words.strip().lstrip("¿¡ ")).bare()
    opened = start.take(AND)
    here = opened or start
    asked = here.past(IT_WAS)
    after = asked.take(ASKED)
    if after is not None and after.past(EXACTLY).done:
        return Further(asked=asked.until(after).text)
    about = here.take(WHAT_ABOUT)
    subject = about or opened
    if subject is None or subject.done or subject.end - subject.at > LONGEST:
        return None
    return Further(subject=subject.text)


def said_before(scene: Scene) -> str:
    """The owner's newest words that go on from nothing, with whom or what was asked about since; empty without any."""
    since: list[Further] = []
    for message in reversed(scene.request.history):
        if message.role != "user":
            continue
        if not message.origins or any(origin.trust is not Trust.OWNER for origin in message.origins):
            return ""
        found = further(message.content)
        if found is None:
            words = message.content
            for one in reversed(since):
                words = about(words, one.subject, scene) or words
            return words
        since.append(found)
        if len(since) == MOST:
            return ""
    return ""


def asked_again(output: PlannerOutput, asked: str) -> Planned | None:
    """The question to memory of a plan with another question word; None where it asks memory nothing."""
    steps = output.steps if isinstance(output, Planned) else ()
    found = next((step.args for step in steps if step.tool_call == "bot_memory_search"), None)
    return calls.plan(calls.search_memory(**{**found, "question": asking(found["question"], asked)})) if found else None


def asking(question: str, asked: str) -> str:
    """A question with another question word: `when is the dinner` and `where` make `where is the dinner`."""
    start = lex(question.lstrip("¿¡ "))
    rest = start.take(ASKED_BEFORE)
    return f"{asked} {rest.text}" if rest is not None and not rest.done else f"{asked}: {question}"


def about(question: str, subject: str, scene: Scene) -> str | None:
    """A question about somebody or something else: names change places, or all from one preposition on.

    None where nothing in the question could give way.
    """
    new = lex(subject)
    if new.done:
        return None
    named = new.skip() if new.word() in PREPOSITIONS else new
    who = person_at(named, scene)
    if who is not None and who[1].done and (old := _name_in(lex(question), scene)) is not None:
        return f"{question[: old[0]]}{named.text}{question[old[1] :]}"
    place = _last(lex(question), new.word()) if new.word() in PREPOSITIONS else None
    return f"{question[:place]}{subject}" if place is not None else None


def saying(scene: Scene, words: str) -> Scene:
    """The scene with other words of the owner, as if nothing had been said before."""
    said = Labelled(value=words, origins=scene.request.words.origins)
    return replace(scene, request=replace(scene.request, words=said, history=()))


def _name_in(tail: Tail, scene: Scene) -> tuple[int, int] | None:
    """Where the first name of somebody stands, without an ending that makes it an owner's."""
    here = tail
    while not here.done:
        if (found := person_at(here, scene)) is not None and found[0].contacts:
            return here.tokens[here.at].start, here.tokens[found[1].at - 1].end
        token = here.tokens[here.at]
        for ending in ("'s", "s"):
            if token.word.endswith(ending) and (token.word.removesuffix(ending),) in scene.people:
                return token.start, token.end - len(ending)
        here = here.skip()
    return None


def _last(tail: Tail, word: str) -> int | None:
    """Where a word stands last, behind the first one."""
    places = [token.start for token in tail.tokens[1:] if token.word == word]
    return places[-1] if places else None
