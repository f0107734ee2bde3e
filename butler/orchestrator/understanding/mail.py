"""Mails: looking for them, reading, answering, drafting and passing them on."""

import re
from dataclasses import replace
from datetime import date

from butler.contract.agents import When
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say, say_list
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.draft import Draft
from butler.orchestrator.embedded.items import KINDS, side_of
from butler.orchestrator.embedded.later import put_off
from butler.orchestrator.embedded.people import Person, Way, reference
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.searching import Search, look
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding.refs import Pointed, one_of, pointed
from butler.orchestrator.understanding.reported_text import text_of
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.who import known, people, without_article
from butler.store.conversation import Referent

UNREAD = re.compile(
    r"\b(?:unread|new|unseen|unopened|ungelesen\w*|neu(?:e[nrsm]?)?|ungeöffnet\w*|"
    r"non[ -]lu\w*|nouveaux?|nouvelles?|pas lu\w*|"
    r"no le[ií]d\w*|sin leer|nuev[oa]s?)\b",
    re.IGNORECASE,
)
OWN_BOX = re.compile(r"\b(your|yours|dein\w*|ton|ta|tes|tu|tus)\b", re.IGNORECASE)
WHICH_MAIL = phrase("Which mail do you mean?")
WHAT_TO_ANSWER = phrase("What shall I answer?")
SMALL = re.compile(
    r"^(?:the|an?|my|any|some|der|die|das|den|dem|ein(?:e[nmr]?)?|le|la|les|l['’]|un|une|des|el|los|las|una)\s+",
    re.IGNORECASE,
)
MAIL = frozenset({ReferentKind.MAIL})


def words_about(said: Said, *slots: str) -> str:
    """What a mail is about, as search words."""
    found = [SMALL.sub("", bare(words)) for slot in slots or ("topic",) for words in said.request.words(slot)]
    return one_line(" ".join(found))


def wanted(said: Said) -> Search:
    """What is looked for: whose, about what, from when, unread, how many."""
    since, before = _days(said)
    senders = said.request.words("from") or said.request.words("with")
    found = known(senders[0], said.scene) if senders else None
    sender = without_article(senders[0]) if senders and found is None else ""
    count = re.search(r"\d+", said.words("count"))
    spelled = pointed(said.words("count"), said.language).numbers
    limit = int(count[0]) if count else spelled[0] if spelled else 0
    return Search(
        words=words_about(said, "topic", "subject", "query"),
        sender=sender,
        person=found,
        unread=bool(UNREAD.search(" ".join(said.request.words("filter")))),
        limit=limit,
        since=since.isoformat() if since else "",
        before=before.isoformat() if before else "",
        account=said.words("account"),
        side="bot" if OWN_BOX.search(said.words("account") + said.words("folder")) else "",
    )


def _days(said: Said) -> tuple[date | None, date | None]:
    try:
        since, before = said.days("time") if said.has("time") else said.days("time_of")
    except Asking:
        return None, None
    today = said.scene.now().date()
    # Mails of days to come are not there yet: the days end with today.
    return (since, None) if before is not None and before > today else (since, before)


def search(said: Said) -> PlannerOutput:
    """`any mail from [the bank](from) [this week](time)`."""
    return look(wanted(said), said.scene)


def count(said: Said) -> PlannerOutput:
    """`how many [unread](filter) mails do I have`: what a search finds is counted in its answer."""
    return look(wanted(said), said.scene)


def read(said: Said) -> PlannerOutput:
    """`read [the second one](ref)`, `what does [carol](from)'s mail about [choir](topic) say`."""
    found = shown(said)
    if found is not None:
        if found.kind is ReferentKind.MESSAGE:
            return calls.plan(calls.read_message(found.handle))
        return calls.plan(calls.read_mail(found.handle, side_of(found)))
    return calls.read_found(newest(said), "user")


def newest(said: Said) -> Planned:
    """A search for the one newest mail that fits."""
    return look(replace(wanted(said), limit=1, unread=False), said.scene)


def shown(said: Said) -> Referent | None:
    """The mail that is meant among those shown; None where it has to be looked for."""
    senders = said.request.words("from")
    person = known(senders[0], said.scene) if senders else None
    if said.has("topic") or (senders and person is None) or said.has("time_of", "time"):
        return None
    way = pointed(said.words("ref"), said.language)
    if person is not None:
        return one_of(said, MAIL, by=person)
    if way == Pointed(last=True) and not said.scene.request.replied_to:
        return None
    return one_of(said, KINDS)


def senders(said: Said) -> PlannerOutput:
    """`who sends me most mail`."""
    said.need("user_email_rank_senders")
    return calls.plan(calls.rank_senders())


def threads(said: Said) -> PlannerOutput:
    """`which conversations wait for my answer`."""
    said.need("user_email_list_threads")
    person = next((found for words in said.request.words("from") if (found := known(words, said.scene))), None)
    address = _address(person) if person else ""
    filters = {"sender": address} if address else {}
    return calls.plan(calls.list_threads(say("List your mail conversations"), **filters))


def _address(person: Person) -> str:
    found = person.address or next((a for c in person.contacts if (a := c.address(Way.MAIL))), "")
    return found.removeprefix("mail:")


def reply(said: Said) -> PlannerOutput:
    """`reply to [anna](from)'s mail that [I eat walnuts](reported)`."""
    return _answered(said, draft=False)


def draft(said: Said) -> PlannerOutput:
    """`draft an answer to [bob](from): …`; a new mail is not drafted but shown on a card first."""
    if said.has("to") and not said.has("from", "ref", "topic"):
        from butler.orchestrator.understanding.messages import mail  # noqa: PLC0415 - they stand beside each other

        return mail(said)
    return _answered(said, draft=True)


def _answered(said: Said, *, draft: bool) -> PlannerOutput:
    whose = said.request.words("from") or said.request.words("to")
    person = known(whose[0], said.scene) if whose else None
    names = (person,) if person else ()
    text = text_of(said, Draft(names, "", Way.MAIL))
    if not text:
        raise Asking(say(WHAT_TO_ANSWER))
    at = said.moment() if said.has("time") else None
    plan = _in_thread(said, person, text, draft=draft)
    return put_off(plan, at, said.scene) if at is not None else plan


def _in_thread(said: Said, person: Person | None, text: str, *, draft: bool) -> Planned:
    tool = "user_email_draft_reply" if draft else "user_email_reply_to_thread"
    found = None
    if not said.has("topic"):
        by = person if not said.has("ref") else None
        found = one_of(said, KINDS, by=by) if by is not None or said.has("ref") or _at_issue(said) else None
    if found is not None and found.kind is ReferentKind.MAIL:
        said.need(tool)
        contact = said.scene.contact(found)
        name = tool.replace("user_", "bot_", 1) if side_of(found) == "bot" and not draft else tool
        return calls.plan(calls.reply_mail(name, found.handle, text, contact.name if contact else ""))
    if found is not None:
        contact = said.scene.contact(found)
        return calls.plan(
            calls.reply_message("user_telegram_reply_to_message", found.handle, text, contact.name if contact else "")
        )
    said.need(tool)
    found_mail = newest(said if said.has("from") else _from(said, "to"))
    answer = calls.call(
        tool, say("Reply to the mail"), message_id={"step": 1, "fact": "messages.0.message_id"}, body=text
    ).model_copy(update={"when": When(step_id=1, fact="messages")})
    return calls.plan(*found_mail.steps, answer)


def _at_issue(said: Said) -> bool:
    """Whether one mail or message is replied to, or was read last."""
    return bool(said.scene.request.replied_to) or not said.has("from", "to", "topic")


def _from(said: Said, slot: str) -> Said:
    """The same with the person of another slot as the sender."""
    slots = tuple(replace(one, slot="from") if one.slot == slot else one for one in said.request.slots)
    return replace(said, request=replace(said.request, slots=slots))


def forward(said: Said) -> PlannerOutput:
    """`pass [carol](from)'s mail about [choir](topic) on to [bob](to)`."""
    to = people(said, "to")
    if not to:
        raise said.missing("to")
    found = shown(said) if said.has("ref", "from") or not said.has("topic") else None
    if found is not None and found.kind is not ReferentKind.MAIL:
        raise Asking(say(WHICH_MAIL))
    if found is not None:
        reading = calls.plan(calls.read_mail(found.handle, side_of(found)))
    else:
        reading = calls.read_found(newest(said), "user")
    said.need("user_email_send_message")
    for one in to:
        if len(one.contacts) > 1 or not _address(one):
            raise Asking(
                say(
                    "I have no mail address of {name}. Write it, or add it under [[contacts]] in butler.toml.",
                    name=one.said,
                )
            )
    names = say_list([one.name for one in to])
    plan = calls.forward_mail(names, [reference(one, said.scene) for one in to], reading)
    at = said.moment() if said.has("time") else None
    return put_off(plan, at, said.scene) if at is not None else plan


def unsubscribe(said: Said) -> PlannerOutput:
    """`get me off [the slow kitchen](from)`."""
    tool = "user_email_unsubscribe"
    said.need(tool)
    if said.has("from", "topic") and not said.has("ref"):
        search = newest(said)
        leave = calls.call(
            tool, say("Unsubscribe from its list"), message_id={"step": 1, "fact": "messages.0.message_id"}
        ).model_copy(update={"when": When(step_id=1, fact="messages")})
        return calls.plan(*search.steps, leave)
    found = one_of(said, MAIL)
    if found is None:
        raise Asking(say(WHICH_MAIL))
    return calls.plan(calls.unsubscribe(tool.replace("user_", f"{side_of(found)}_", 1), found.handle))


ANSWERS = (
    ("tentative", re.compile(r"maybe|perhaps|tentativ|vielleicht|peut|quiz|tal vez|vorbehalt|provis", re.IGNORECASE)),
    (
        "decline",
        re.compile(r"\bno\b|declin|nein|absag|ablehn|refus|non\b|rechaz|can['’]?t|cannot|not|nicht", re.IGNORECASE),
    ),
    (
        "accept",
        re.compile(r"yes|accept|ja\b|zusag|annehm|oui|s[ií]\b|acept|confirm|attend|count me in|dabei", re.IGNORECASE),
    ),
)


def invite(said: Said) -> PlannerOutput:
    """`[accept](answer) the invitation`."""
    said.need("user_email_answer_invite")
    words = said.words("answer") or said.request.text
    response = next((name for name, pattern in ANSWERS if pattern.search(words)), "")
    if not response:
        raise Asking(say("Shall I accept, decline, or say maybe?"))
    if said.has("topic", "from") and not said.has("ref"):
        search = newest(said)
        answer = calls.call(
            "user_email_answer_invite",
            say("Answer the invitation"),
            message_id={"step": 1, "fact": "messages.0.message_id"},
            response=response,
        )
        return calls.plan(*search.steps, answer.model_copy(update={"when": When(step_id=1, fact="messages")}))
    found = one_of(said, MAIL)
    if found is None:
        raise Asking(say(WHICH_MAIL))
    return calls.plan(calls.answer_invite(found.handle, response))


BUILDERS: dict[str, Builder] = {
    "mail.search": search, "mail.count": count, "mail.read": read, "mail.senders": senders, "mail.threads": threads,
    "mail.draft": draft, "mail.forward": forward, "mail.unsubscribe": unsubscribe,
    "mail.invite": invite,
}  # fmt: skip
