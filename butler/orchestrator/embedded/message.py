"""What a request to send says: the subject, and the text as the owner wrote it."""

from dataclasses import dataclass, replace
from datetime import datetime

from butler.contract.speech import say, say_list
from butler.orchestrator.embedded.accounts import named_account
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import Draft, settle
from butler.orchestrator.embedded.later import moment_said
from butler.orchestrator.embedded.lexer import QUOTES, Phrases, Tail, phrases, word_set
from butler.orchestrator.embedded.people import WAYS, Person, Way, unknown_name
from butler.orchestrator.embedded.say import capital, content
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.second_thoughts import second_thoughts
from butler.orchestrator.embedded.sure_text import Reader, is_dictated, sure_text
from butler.orchestrator.embedded.when import spoken_at, spoken_at_end
from butler.orchestrator.planning.plan_types import Planned

NAMED_SUBJECT = phrases("[with] [the|a] subject [line] [of|is|:]")
TOPIC = phrases("(about|regarding|concerning|re) [:]")
SAYING = phrases(
    "saying [that] [:]",
    "and say [that] [:]",
    "to say [that] [:]",
    "and (tell|ask) (him|her|them) [that|to] [:]",
    "(and|to) let (him|her|them) know [that] [:]",
    "letting (him|her|them) know [that] [:]",
    "(and inform|to inform|informing|to tell|telling|and tell) (him|her|them) [that] [:]",
    "(that|which) (says|reads) [:]",
    "with [the] (text|body|message|words) [:]",
    "[and] [the] (text|body) [is] :",
)
END_OF_SUBJECT = phrases(
    ":",
    "[,] saying",
    "[,] and say",
    "[,] (that|which) (says|reads)",
    "[,] with [the] (text|body|message|words)",
    "[,] [and] [the] (text|body) [is] :",
)
THAT = phrases("[,] that [:]")
TO, COMMA, COLON = phrases("to"), phrases(","), phrases(":")
FOLLOWING = phrases("[this|the] following [text|message]", "this [text|message]")
BEGINS_TEXT = phrases("[,] that", ":", "[,] saying [that]", "[,] and say [that]", "[,] to say [that]")
THAT_MARK, UNREAD = phrases("that"), 6
"""So many words before a colon may be no text but say something about it."""
NO_TEXT = word_set("something nothing anything everything sth somehow")
LITTLE = 4
ASIDES = word_set("in with after on at by through as from again later somehow nicely politely once instead")
CONDITIONS = word_set("unless until till once whenever if")
SIGNS = phrases(":", ",", ";", "-", "–", "—")
TELLING = frozenset({"tell", "ask", "let", "inform", "notify"})
THINGS = word_set("the my a an this that these those his her our their your some it them")
SHORT_THING = 2
"""So many words name a thing and say nothing: `mail Anna the report`."""
QUESTIONS = word_set("if whether when where what who how why")


@dataclass(frozen=True, slots=True)
class Opening:
    """What a request to send began with: the verb, the way, who, and whether it named a message or mail."""

    verb: str
    way: Way | None = None
    people: tuple[Person, ...] = ()
    thing: bool = False
    subject: str = ""
    as_butler: bool = False
    """From the butler's own accounts, in its own name."""
    account: str = ""
    """The person's account that was named."""


def message(opening: Opening, tail: Tail, scene: Scene) -> Planned:
    """The steps that send what stands in the rest of a request."""
    _on_condition(opening, tail)
    at, opening, tail = _time(opening, tail, scene)
    if (after := tail.take(FOLLOWING)) is not None and after.word() == ":":
        tail = after
    subject, topic, tail = _subject(tail)
    if at is None and subject and not topic:
        at, opening, tail = _time(replace(opening, subject=subject), tail, scene)
    start = tail.past(COMMA)
    if start.word() == "and" and not start.take(SAYING):
        name = unknown_name(start.skip())
        raise Asking(say("Who is “{name}”? Name everybody who shall get it, then a colon and the text.", name=name))
    opening, tail = _way_after_quotes(opening, tail)
    draft = Draft(
        opening.people,
        "",
        opening.way,
        subject or opening.subject,
        as_butler=opening.as_butler,
        account=opening.account,
        at=at,
    )
    body, literal = _body(opening, tail)
    if topic and not _goes_by_mail(draft, scene):
        return settle(replace(draft, text=capital(topic), subject=""), scene)
    draft = replace(draft, text=content(body))
    if not is_dictated(body) and not (opening.verb in TELLING and body.word() in QUESTIONS):
        clause = tail.take(THAT) is not None or literal
        said = tuple(person.said for person in draft.people)
        reader = Reader(draft.said, said, lambda text: replace(draft, text=text).words())
        draft = replace(draft, text=sure_text(body, reader, scene, clause=clause, bidding=_is_bid(body)))
    if not literal:
        _plain_words(opening, body, draft, scene, doubtful=second_thoughts(tail, body, scene))
        _way_at_the_end(body, draft)
        _account_at_the_end(body, draft, scene)
    return settle(draft, scene)


def _on_condition(opening: Opening, tail: Tail) -> None:
    """`text Mum unless ...`: nothing is sent on a condition."""
    names = say_list([person.said for person in opening.people])
    start = tail.past(COMMA)
    if start.word() in CONDITIONS and opening.verb not in TELLING:
        raise Asking(
            say("I cannot send on a condition. Is “{text}” what {names} shall read?", text=start.text, names=names),
            [
                choice(
                    say("Yes: {text}", text=capital(start.text)),
                    Draft(opening.people, capital(start.text), opening.way).words(),
                )
            ],
        )


def _time(opening: Opening, tail: Tail, scene: Scene) -> tuple[datetime | None, Opening, Tail]:
    """`text Mum tomorrow at 9 that ...`: the local time to send at, and what follows; none where none is said."""
    start = tail.past(COMMA)
    said = spoken_at(start, scene.now(), zones=True)
    if said is None:
        return None, opening, tail
    way, after = _way_here(opening, said[1])
    if not _goes_on(after):
        return None, opening, tail
    opening = replace(opening, way=way)
    sender = Draft(opening.people, "", way, opening.subject, opening.as_butler, opening.account)
    rest = _without_sign(after)

    def words(when: str = "") -> str:
        opened = sender.words().removesuffix(": ")
        return f"{opened}{' ' if when else ''}{when}{rest}"

    return moment_said(said[0], scene, words, words()), opening, after


def _way_here(opening: Opening, tail: Tail) -> tuple[Way | None, Tail]:
    """The way that stands behind the time, where none was named before."""
    found = ((way, tail.take(options)) for options, way in WAYS if opening.way is None)
    return next(((way, after) for way, after in found if after is not None), (opening.way, tail))


def _goes_on(tail: Tail) -> bool:
    """Whether a text, or what leads to it, follows the time."""
    for begins in (BEGINS_TEXT, NAMED_SUBJECT, TOPIC):
        after = tail.past(COMMA).take(begins) or tail.take(begins)
        if after is not None and not after.done:
            return True
    return False


def _without_sign(tail: Tail) -> str:
    """What follows a time, to be put behind another one."""
    text = tail.text
    return text if text[:1] in {":", ","} else f" {text}"


def _way_after_quotes(opening: Opening, tail: Tail) -> tuple[Opening, Tail]:
    """`... "see you" on Telegram`."""
    start = tail.past(COLON)
    quoted = start.quoted()
    for options, way in WAYS if quoted else ():
        after = quoted[1].bare().take(options) if quoted else None
        if quoted is not None and after is not None and after.done:
            return replace(opening, way=way), replace(start, end=quoted[1].at)
    return opening, tail


def _subject(tail: Tail) -> tuple[str, str, Tail]:
    """The subject, all from a topic on as written (for where there are no subjects), and what follows."""
    start = tail.past(COMMA)
    named, about = start.take(NAMED_SUBJECT), start.take(TOPIC)
    after = named or about
    if after is None:
        return "", "", tail
    if (quoted := after.quoted()) is not None:
        return quoted[0], "", quoted[1]
    subject, rest = _before_content(after)
    topic = after.text if about and not rest.done else ""
    return capital(subject.text), topic, rest


def _before_content(tail: Tail) -> tuple[Tail, Tail]:
    here = tail
    while not here.done and not here.new_line() and here.take(END_OF_SUBJECT) is None:
        here = here.skip()
    return tail.until(here), here


def _goes_by_mail(draft: Draft, scene: Scene) -> bool:
    ways = [way for way in Way if all(way in p.ways() for p in draft.people) and scene.has(draft.tool(way))]
    return draft.way is Way.MAIL or (draft.way is None and ways != [Way.TELEGRAM])


def _body(opening: Opening, tail: Tail) -> tuple[Tail, bool]:
    """The text, and whether it was marked off so that every word of it is meant."""
    start = tail.past(COMMA)
    if (after := start.take(SAYING)) is not None:
        return after, True
    if tail.word() == ":" or tail.word() in QUOTES:
        return tail.past(COLON), True
    if (after := tail.take(THAT)) is not None:
        return after, False
    if opening.verb in {"tell", "ask"} and (after := tail.take(TO)) is not None:
        return after, False
    return tail.past(SIGNS), False


def _is_bid(body: Tail) -> bool:
    """Whether they are told to do something: `tell Bob to call me`."""
    return body.at > 0 and body.tokens[body.at - 1].word == "to"


def _plain_words(opening: Opening, body: Tail, draft: Draft, scene: Scene, *, doubtful: bool) -> None:
    """What wants to be put into other words is asked for: the butler puts no words into the owner's mouth."""
    _unread_words(body, draft)
    indirect = opening.verb in TELLING and body.word() in QUESTIONS
    if _is_time(body, scene):
        raise _what_exactly(draft)
    if _is_thing(opening, body, scene):
        raise Asking(
            say(
                "I can send words, but not things. Is “{text}” what {names} shall read?",
                text=body.text,
                names=draft.said,
            ),
            [choice(say("Yes: {text}", text=draft.text), draft.words())],
        )
    if doubtful or indirect or (opening.verb == "ask" and body.word() in {"for", "about"}):
        raise _what_exactly(draft)


def _is_time(body: Tail, scene: Scene) -> bool:
    """`text Anna on Monday at 9`: when, but not what."""
    said = spoken_at(body, scene.now())
    return said is not None and said[1].bare().done


def _is_thing(opening: Opening, body: Tail, scene: Scene) -> bool:
    """`send Anna the report`, `mail Anna the report on Monday at 9`: a thing is named that words cannot be."""
    if opening.thing or body.word() not in THINGS or opening.verb in TELLING:
        return False
    timed = spoken_at_end(body, scene.now())
    words = (timed[0] if timed else body).bare()
    return opening.verb == "send" or words.end - words.at <= SHORT_THING


def _what_exactly(draft: Draft) -> Asking:
    return Asking(
        say("What exactly shall I write to {names}? Say it with a colon, like “tell {names}: …”.", names=draft.said),
        [choice(say("Just this: {text}", text=draft.text), draft.words())],
    )


def _unread_words(body: Tail, draft: Draft) -> None:
    """`email Carol something nice`, `tell Carol in reply that ...`: words that are not yet what somebody shall read."""
    words = body.bare()
    begins = words.find(COLON)
    if begins is not None and 0 < begins[0].end - begins[0].at <= UNREAD and not begins[1].done:
        text = content(begins[1])
        raise Asking(
            say("Which of it shall {names} read?", names=draft.said),
            [
                choice(say("Only: {text}", text=text), replace(draft, text=text).words()),
                choice(say("All: {text}", text=draft.text), draft.words()),
            ],
        )
    aside = words.find(THAT_MARK) if words.word() in ASIDES else None
    vague = words.word() in NO_TEXT and words.end - words.at <= LITTLE
    thing = words.word() in {"a", "an"} and words.end - words.at < LITTLE
    thing = thing or (words.word() in {"this", "that", "it"} and words.skip().done)
    if vague or thing or (aside and aside[0].end - aside[0].at <= UNREAD):
        raise _what_exactly(draft)


def _way_at_the_end(body: Tail, draft: Draft) -> None:
    """`... I'm late on Telegram`: is that the way, or is it what to say?"""
    if draft.way is not None:
        return
    for options, way in WAYS:
        before = _before_ending(body.bare(), options)
        if before is not None and not before.done:
            ending = replace(body.bare(), at=before.end).text
            short = replace(draft, way=way, text=content(before))
            whole = replace(draft, way=way)
            raise _belongs(ending, short, whole)


def _account_at_the_end(body: Tail, draft: Draft, scene: Scene) -> None:
    """`... I'm late from my work account`: is that the account, or is it what to say?"""
    if draft.account or (split := body.bare().find(phrases("from"))) is None:
        return
    before, rest = split
    named = named_account(rest, scene)
    if named is not None and named[1].done and not before.done:
        short = replace(draft, account=named[0], text=content(before))
        raise _belongs(f"from {rest.text}", short, draft)


def _belongs(ending: str, short: Draft, whole: Draft) -> Asking:
    return Asking(
        say("Does “{ending}” belong to the text?", ending=ending),
        [
            choice(say("No: {text}", text=short.text), short.words()),
            choice(say("Yes: {text}", text=whole.text), whole.words()),
        ],
    )


def _before_ending(tail: Tail, options: Phrases) -> Tail | None:
    """What stands before one of these phrases at the end."""
    for option in options.options:
        last = replace(tail, at=max(tail.at, tail.end - len(option)))
        if (after := last.take(options)) is not None and after.done:
            return replace(tail, end=last.at)
    return None
