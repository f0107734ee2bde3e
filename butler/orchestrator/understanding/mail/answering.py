"""Builds answers to mails, sent or only drafted. The writer is answered in the mail's thread, known or not."""

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.draft import Draft
from butler.orchestrator.embedded.later import put_off
from butler.orchestrator.embedded.people import Person, Way
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding import messages
from butler.orchestrator.understanding.mail.filters import as_slot, without
from butler.orchestrator.understanding.mail.mail_words import whole
from butler.orchestrator.understanding.mail.meant import MAIL, Meant, one_mail
from butler.orchestrator.understanding.mail.senders import is_writer, senders
from butler.orchestrator.understanding.messages import way_of
from butler.orchestrator.understanding.people.who import is_pronoun, known
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.texts.reported import text_of
from butler.orchestrator.understanding.things.refs import recent, shown_alone
from butler.understanding.marked import SlotWords

WHAT_TO_ANSWER = phrase("What shall I answer?")
NO_CHOICE = phrase(
    "That mail is answered from the mailbox that it lies in, so I cannot choose “{account}”. "
    "Is “{account}” the account, or is it part of the text?"
)
TEXTS = ("text", "reported", "asked")
PEOPLE = ("to", "with", "from")
ANSWER = whole("answer")
TO_ALL = whole("to_all")
"""Words for answering everybody who got the mail."""


def reply(said: Said) -> PlannerOutput:
    """`reply to [anna](from)'s mail that [I eat walnuts](reported)`."""
    return _answered(said, draft=False)


def draft(said: Said) -> PlannerOutput:
    """`draft an answer to [bob](from): …`, or a new mail; a text for somebody unknown answers their newest mail."""
    named = _named(said)
    to = named.request.words("to")
    is_new = to and not said.has("from", "ref") and not ANSWER.search(said.request.text)
    if is_new and (not said.has(*TEXTS) or all(known(words, said.scene) for words in to)):
        return messages.drafted(named)
    return _answered(said, draft=True)


def _named(said: Said) -> Said:
    """Return the request without recipients that are only pronouns."""
    slots = tuple(one for one in said.request.slots if one.slot != "to" or not is_pronoun(one.text))
    return said.with_slots(slots)


def told(said: Said) -> PlannerOutput:
    """`tell them that [I paid already](reported)`: whoever wrote the mail that was shown last is answered in it."""
    marked = [one for one in said.request.slots if one.slot in PEOPLE]
    theirs = all(_wrote_it(one, said) for one in marked) if marked else said.request.intent == "message.send"
    if theirs and _mail_is_at_issue(said) and way_of(said, None) is not Way.TELEGRAM and said.has(*TEXTS):
        return _answered(without(said, *PEOPLE, "topic", "subject"), draft=False)
    return messages.mail(said) if said.request.intent == "mail.send" else messages.send(said)


def _wrote_it(one: SlotWords, said: Said) -> bool:
    """Return whether the slot means the last shown mail's writer by a pronoun, even if a name has replaced it."""
    in_place = said.request.text[one.start : one.end]
    if in_place == one.text and not is_writer(in_place):
        return False
    shown, person = recent(said, MAIL), None if is_writer(one.text) else known(one.text, said.scene)
    if person is None or (len(shown) == 1 and shown[0].contact_id is None):
        return True
    return any(mail.contact_id in {contact.contact_id for contact in person.contacts} for mail in shown)


def _mail_is_at_issue(said: Said) -> bool:
    request = said.scene.request
    last = request.replied_to[-1].kind if request.replied_to else request.last_shown and request.last_shown.kind
    return last is ReferentKind.MAIL


def _answered(said: Said, *, draft: bool) -> PlannerOutput:
    spoken_of = [one for one in said.request.slots if one.slot in PEOPLE]
    if spoken_of and shown_alone(said, MAIL) and _mail_is_at_issue(said) and all(_wrote_it(s, said) for s in spoken_of):
        said = without(said, *PEOPLE)
    if not senders(said) and said.has("to"):
        said = as_slot(said, "to", "from")
    person = next((found for one in senders(said) if (found := one.person)), None)
    text = text_of(said, Draft((person,) if person else (), "", Way.MAIL))
    if not text:
        raise Asking(say(WHAT_TO_ANSWER))
    at = said.moment() if said.has("time") else None
    found = one_mail(without(said, "time"), strictly=True)
    plan = _in_chat(found, text, said) if found.is_message else _in_thread(found, text, said, person, draft=draft)
    return put_off(plan, at, said.scene) if at is not None else plan


def _in_thread(found: Meant, text: str, said: Said, person: Person | None, *, draft: bool) -> Planned:
    tool = "user_email_draft_reply" if draft else "user_email_reply_to_thread"
    said.need(tool)
    tool = tool.replace("user_", "bot_", 1) if found.side == "bot" and not draft else tool
    if said.has("account") and len(said.scene.accounts(tool)) < 2:  # noqa: PLR2004 - one alone is no choice
        # The mailbox is given by the mail, so the words are perhaps part of the text.
        raise Asking(say(NO_CHOICE, account=said.words("account")))
    contact = said.scene.contact(found.shown) if found.shown is not None else None
    name = contact.name if contact is not None else person.name if person is not None else ""
    answer = calls.reply_mail(tool, "", text, name)
    marked = [one.start for one in said.request.slots if one.slot in TEXTS]
    everybody = not draft and TO_ALL.search(said.request.text[: min(marked, default=None)]) is not None
    args = {**answer.args, "message_id": found.reference} | ({"reply_all": True} if everybody else {})
    return found.then(answer.model_copy(update={"args": args}))


def _in_chat(found: Meant, text: str, said: Said) -> Planned:
    said.need("user_telegram_reply_to_message")
    assert found.shown is not None
    contact = said.scene.contact(found.shown)
    return calls.plan(
        calls.reply_message("user_telegram_reply_to_message", found.shown.handle, text, contact.name if contact else "")
    )
