"""Sending in the person's name: `tell Anna on Telegram that ...`, `email Bob about dinner: ...`, `text mum ...`."""

from dataclasses import replace

from butler.contract.speech import say
from butler.orchestrator.embedded.accounts import named_account
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.doubts import sure_of_list, sure_of_name
from butler.orchestrator.embedded.draft import Draft, settle
from butler.orchestrator.embedded.later import moment_said
from butler.orchestrator.embedded.lexer import Tail, name_phrase, phrases, word_set
from butler.orchestrator.embedded.message import TOPIC, Opening, message
from butler.orchestrator.embedded.people import (
    PRONOUNS,
    WAYS,
    Way,
    looks_like_name,
    people_at,
    unknown,
)
from butler.orchestrator.embedded.say import capital, content
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.second_thoughts import NOT
from butler.orchestrator.embedded.when import Spoken, spoken_at, spoken_at_end
from butler.orchestrator.planning.plan_types import PlannerOutput

VERBS = (
    (phrases("(tell|inform|notify|let|ask)"), None),
    (phrases("(ping|contact)", "(get in touch|reach out|touch base) [with]", "reach"), None),
    (phrases("(text|message|msg|dm|telegram|tg)"), Way.TELEGRAM),
    (phrases("(email|e-mail|mail)"), Way.MAIL),
    (phrases("(send|write|drop|compose|shoot|fire) [off|out]"), None),
)
WRITING = frozenset({"send", "write", "drop", "compose", "shoot", "fire"})
NEW = phrases("[a] new")
VIA = (
    phrases("(use|using|over|on|by|via|through|per) [my] (telegram|tg) [to|,|:]"),
    phrases("(use|using|over|on|by|via|through|per) [my] (mail|email|e-mail) [to|,|:]"),
)
GIVE = phrases("give")
HEADS_UP = phrases(
    "(a|the) [quick|short] (heads up|heads-up|shout|message|note|notice|hint) [on|over|by|via] [telegram] [that|:]"
)
SAY = phrases("say")
FOR_ME = phrases("for me", "on my behalf", "quickly", "right away", "real quick")
TO, KNOW = phrases("to"), phrases("know")
ELSEWHERE = phrases("(on|by|via|over|through) (whatsapp|signal|sms|slack|teams|imessage|phone)")
THINGS = (
    (phrases("[a|an|the] [new|quick|short|brief] (telegram|tg) [message]"), Way.TELEGRAM),
    (phrases("[a|an|the] [new|quick|short] (mail|email|e-mail) [message]"), Way.MAIL),
    (phrases("[a|an|the] [new|quick|short] (message|text)"), Way.TELEGRAM),
    (phrases("[a|an|the] [new|quick|short] (note|line)"), None),
)
SENDER = phrases("(from|as)")
THROUGH = phrases("(from|with|using|through|via|by)")
BUTLER = phrases("[the|my] butler", "(you|yourself)", "your [own] (account|address|name|mailbox|telegram)")
THE = phrases("[all] (the|my|our|that|this|a|an)")
NO_PERSON = word_set(
    "report reports file files document documents invoice invoices bill bills contract offer letter photo photos "
    "picture pictures slides presentation minutes notes summary agenda pdf spreadsheet table"
)
"""Things that are sent to somebody, and are nobody."""
BEFORE_TEXT = phrases(":", ",", "that", "saying", "and", "about", "with", "subject", '"', "“", "„", "«")


def send(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to send something; None where it is none."""
    opened = _verb(tail)
    if opened is None:
        return _say(tail, scene) or _heads_up(tail, scene)
    opening, start = opened
    if opening.verb == "send" and (shared := _content_first(start, scene)):
        return shared
    opening, here = _slots(opening, start, scene)
    if opening.people:
        return message(opening, here, scene)
    _nobody(opening, start, here, scene)
    return None


def _verb(tail: Tail) -> tuple[Opening, Tail] | None:
    first = next((way for way, options in zip(Way, VIA, strict=True) if tail.take(options)), None)
    start = tail.past(VIA[0]).past(VIA[1]) if first else tail
    for options, way in VERBS:
        if (after := start.take(options)) is not None:
            return Opening(start.word(), first or way), after
    if (new := start.take(NEW)) is not None and _thing(Opening("write"), new):
        return Opening("write", first), new
    return None


def _heads_up(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """`give Mum a heads up that I'll be late`."""
    start = tail.take(GIVE)
    found = people_at(start, scene) if start else None
    after = found[1].take(HEADS_UP) if found else None
    return message(Opening("tell", people=found[0]), after, scene) if found and after and not after.done else None


def _say(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """`say hi to mum`, `say thanks to Bob on Telegram`: what stands before the last `to` that somebody follows."""
    here = tail.take(SAY)
    if here is None:
        return None
    start = here
    while (found := here.find(TO)) is not None:
        words, here = replace(start, end=found[0].end), found[1]
        people = people_at(here, scene)
        if people is None or words.done or words.take(NOT):
            continue
        opening, after = _channel(Opening("say"), people[1].bare()) or (Opening("say"), people[1].bare())
        if after.done:
            return settle(Draft(people[0], content(words), opening.way), scene)
    return None


def _slots(opening: Opening, tail: Tail, scene: Scene) -> tuple[Opening, Tail]:
    """Read who, which way and what kind of thing, in any order, until the content begins."""
    while True:
        start = tail.skip() if tail.word() == "," and opening.people else tail
        aside = start.take(FOR_ME) or (start.take(KNOW) if opening.verb == "let" else None)
        if opening.people and aside is not None:
            tail = aside
            continue
        found = (
            _butler(opening, start, scene)
            or _account(opening, start, scene)
            or _channel(opening, start)
            or _thing(opening, start)
            or _who(opening, start, scene)
        )
        found = found or _topic(opening, start, scene)
        if found is None:
            return opening, tail
        opening, tail = found


def _butler(opening: Opening, tail: Tail, scene: Scene) -> tuple[Opening, Tail] | None:
    """`from you`, `as the butler`: only where a request goes on behind it, else it is what to say."""
    start = tail.take(SENDER)
    after = start.take(BUTLER) or start.take(name_phrase(scene.request.butler_name)) if start else None
    if opening.as_butler or after is None:
        return None
    goes_on = after.take(BEFORE_TEXT) or after.take(TO) or people_at(after, scene) or _channel(opening, after)
    return (replace(opening, as_butler=True), after) if goes_on else None


def _account(opening: Opening, tail: Tail, scene: Scene) -> tuple[Opening, Tail] | None:
    """`from my work account`, `with the work mail`."""
    start = tail.take(THROUGH)
    found = named_account(start, scene) if start and not opening.account else None
    return (replace(opening, account=found[0]), found[1]) if found else None


def _channel(opening: Opening, tail: Tail) -> tuple[Opening, Tail] | None:
    if tail.take(ELSEWHERE):
        other = f"{tail.written()} {tail.written(1)}"
        raise Asking(say("I can send by Telegram or mail, not {other}.", other=other))
    for options, way in WAYS:
        if (after := tail.take(options)) is not None:
            return replace(opening, way=way), after
    return None


def _thing(opening: Opening, tail: Tail) -> tuple[Opening, Tail] | None:
    if opening.thing or opening.verb not in WRITING:
        return None
    for options, way in THINGS:
        if (after := tail.take(options)) is not None:
            return replace(opening, way=opening.way or way, thing=True), after
    return None


def _who(opening: Opening, tail: Tail, scene: Scene) -> tuple[Opening, Tail] | None:
    if opening.people:
        return None
    found = people_at(tail.past(TO), scene)
    if found is None:
        return None
    people, after = found
    sure_of_list(opening, people, tail, after, scene)
    sure_of_name(opening, people, after)
    return replace(opening, people=people), after


def _topic(opening: Opening, tail: Tail, scene: Scene) -> tuple[Opening, Tail] | None:
    """A subject before the recipient: `an email about dinner to Anna`."""
    start = tail.take(TOPIC) if opening.thing and not opening.people else None
    split = start.find(TO) if start else None
    if split is None or people_at(split[1], scene) is None:
        return None
    return replace(opening, subject=capital(split[0].text)), split[1]


def _nobody(opening: Opening, start: Tail, here: Tail, scene: Scene) -> None:
    """Say whom nobody knows; nothing where the words are no request to send at all."""
    who = here.past(TO)
    if who.word() in PRONOUNS:
        raise Asking(
            say("Whom do you mean? Say the name or write the address.")
            if scene.translated
            else say("Who is “{word}”? Say the name or write the address.", word=who.word())
        )
    if opening.thing and who.done:
        raise Asking(say("To whom? Say it in one go, like “tell Anna: see you at eight”."))
    _thing_alone(opening, here, scene)
    told_whom = opening.verb not in WRITING or who.at > start.at or who.written()[:1].isupper()
    if told_whom and looks_like_name(who):
        raise unknown(who)


def _thing_alone(opening: Opening, tail: Tail, scene: Scene) -> None:
    """`mail the report on Monday at 9`: neither who shall read it nor what is said."""
    timed = spoken_at_end(tail, scene.now())
    if opening.thing or (opening.verb in WRITING and (opening.verb != "send" or timed is None)):
        return
    thing = (timed[0] if timed else tail).take(THE)
    if thing is not None and thing.word() in NO_PERSON and thing.skip().bare().done:
        raise Asking(
            say("I can send words, but not things. Who shall read what? Say it like “mail Anna on Monday at 9: …”.")
        )


def _content_first(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """`send "happy birthday" to mum`; without quotes the words are asked about."""
    quoted = tail.quoted()
    if quoted is None:
        return _asked_about(tail, scene)
    text, to = quoted[0], quoted[1].take(TO)
    if to is None:
        return None
    found = people_at(to, scene)
    if found is None:
        raise unknown(to)
    opening, after = _channel(Opening("send"), found[1].bare()) or (Opening("send"), found[1].bare())
    return settle(Draft(found[0], capital(text), opening.way), scene) if after.done else None


def _at(draft: Draft, said: Spoken, scene: Scene) -> Draft:
    """The same at a time that is asked for where it is not sure."""
    opened, text = draft.words().split(":", 1)
    at = moment_said(said, scene, lambda when: f"{opened} {when}:{text}", draft.words())
    return replace(draft, at=at)


def _asked_about(tail: Tail, scene: Scene) -> None:
    if _channel(Opening("send"), tail) or _thing(Opening("send"), tail) or people_at(tail.past(TO), scene):
        return
    here = tail
    while (found := here.find(TO)) is not None:
        words, here = replace(tail, end=found[0].end), found[1]
        people = people_at(here, scene)
        said = spoken_at(people[1], scene.now()) if people else None
        after = said[1] if said else people[1] if people else here
        if people is not None and after.bare().done and not words.done:
            draft = Draft(people[0], content(words))
            if said is not None:
                draft = _at(draft, said[0], scene)
            question = say("Shall I send {names} the words “{text}”?", names=draft.said, text=words.text)
            raise Asking(question, [choice(say("Send: {text}", text=draft.text), draft.words())])
