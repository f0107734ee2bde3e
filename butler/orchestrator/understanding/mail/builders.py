"""Builds requests about mails: searching, reading, forwarding, unsubscribing, and answering invitations."""

import re
from collections.abc import Sequence
from dataclasses import replace

from butler.contract.agents import PlanStep
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say, say_list
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import last_shown_kind
from butler.orchestrator.embedded.later import put_off
from butler.orchestrator.embedded.main_clause import main_clause
from butler.orchestrator.embedded.people import Person, Way, reference
from butler.orchestrator.embedded.searching import look
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding.mail.answering import draft, reply, told
from butler.orchestrator.understanding.mail.filters import (
    SMALL,
    UNREAD,
    how_many,
    names_mails,
    wanted,
    with_topic,
    without,
    words_about,
)
from butler.orchestrator.understanding.mail.mail_words import group, patterns, plain
from butler.orchestrator.understanding.mail.meant import (
    MAIL,
    Meant,
    by_writer,
    found_first,
    many_mails,
    one_mail,
    way_of,
)
from butler.orchestrator.understanding.mail.senders import names_somebody
from butler.orchestrator.understanding.people.who import known, people
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.refs import listed_of, tappable
from butler.understanding.marked import SlotWords

__all__ = ["BUILDERS", "SMALL", "UNREAD", "reply", "words_about"]
WHICH_MAIL = phrase("Which mail do you mean?")
MOST_PASSED_ON = 5
TEXTS = ("text", "reported")
OF = re.compile(rf"\s{group('of')}$", re.IGNORECASE)
"""The end of words for a list, behind which its sender is named."""
THAT = re.compile(rf"\b{group('that')}\s*$", re.IGNORECASE)
ANSWERS = tuple((answer, patterns(answer)) for answer in ("tentative", "decline", "accept"))


def search(said: Said) -> PlannerOutput:
    """`any mail from [the bank](from) [this week](time)`; the newest one alone is read."""
    way = way_of(said)
    if said.has("ref") and not said.has("count") and (way.last or way.numbers or way.oldest or way.step or way.other):
        return read(said)
    return _looked(said)


def count(said: Said) -> PlannerOutput:
    """`how many [unread](filter) mails do I have`: the search's answer has the count."""
    return _looked(said)


def _looked(said: Said) -> Planned:
    """Return a search; `from them` means the shown mail's writer."""
    return by_writer(look(wanted(said), said.scene), said)


def read(said: Said) -> PlannerOutput:
    """`read [the second one](ref)`, `what does [carol](from)'s mail about [choir](topic) say`."""
    if how_many(said) > 1:
        return look(wanted(said), said.scene)
    found = one_mail(said)
    if found.is_message and found.shown is not None:
        return calls.plan(calls.read_message(found.shown.handle))
    return found.then(_reading(found))


def _reading(found: Meant) -> PlanStep:
    account = {name: one for step in found.steps for name, one in step.args.items() if name == "account"}
    tool = f"{found.side}_email_read_message"
    return calls.call(tool, say("Read the mail"), message_id=found.reference, **account)


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


def forward(said: Said) -> PlannerOutput:
    """`pass [carol](from)'s mail about [choir](topic) on to [bob](to)`, with a note if there is one."""
    to = people(said, "to")
    if not to:
        raise said.missing("to")
    said.need("user_email_send_message")
    for one in to:
        if len(one.contacts) > 1 or not _address(one):
            raise Asking(
                say(
                    "I have no mail address of {name}. Write it, or add it under [[contacts]] in butler.toml.",
                    name=one.said,
                )
            )
    plan = calls.plan()
    for mail in _passed_on(said):
        further = _passed(mail, said, to)
        plan = calls.plan(*plan.steps, *calls.moved(further, len(plan.steps)))
    at = said.moment() if said.has("time") else None
    return put_off(plan, at, said.scene) if at is not None else plan


def _passed_on(said: Said) -> list[Meant]:
    """Return the one mail to forward, or each of several shown ones."""
    way = way_of(said)
    listed = listed_of(said, MAIL)
    if (way.every or way.first or way.final) and listed and not names_mails(said):
        found = many_mails(said)
        if found is not None and len(found.references) <= MOST_PASSED_ON:
            return [Meant(one) for one in found.references]
    one = one_mail(said)
    if one.is_message:
        raise Asking(say(WHICH_MAIL))
    return [one]


def _passed(mail: Meant, said: Said, to: tuple[Person, ...]) -> Planned:
    plan = calls.forward_mail(
        say_list([one.name for one in to]), [reference(one, said.scene) for one in to], mail.then(_reading(mail))
    )
    note = next((bare(words) for slot in TEXTS for words in said.request.words(slot)), "")
    if not note:
        return plan
    *before, send = plan.steps
    return calls.plan(*before, send.model_copy(update={"args": {**send.args, "note": note[:1].upper() + note[1:]}}))


def unsubscribe(said: Said) -> PlannerOutput:
    """`get me off [the slow kitchen](from)`, or off the lists of several that were shown."""
    tool = "user_email_unsubscribe"
    said.need(tool)
    if (found := _several_lists(said)) is not None:
        return calls.plan(*(calls.unsubscribe(tool, handle) for handle in found))
    plan = calls.plan()
    for one in _apart(said):
        mail = one_mail(one, strictly=True)
        if mail.is_message:
            raise Asking(say(WHICH_MAIL))
        own = tool.replace("user_", f"{mail.side}_", 1)
        left = mail.then(calls.call(own, say("Unsubscribe from its list"), message_id=mail.reference))
        plan = calls.plan(*plan.steps, *calls.moved(left, len(plan.steps)))
    return plan


def _apart(said: Said) -> list[Said]:
    """Return a request for each of several senders."""
    marked = [one for one in said.request.slots if one.slot == "from" and names_somebody(one)]
    marked = [one for one in marked if not _is_of_the_next(one, marked)]
    others = without(said, "from").request
    if len(marked) < 2:  # noqa: PLR2004 - one alone
        return [replace(said, request=replace(others, slots=(*others.slots, *marked)))]
    return [replace(said, request=replace(others, slots=(*others.slots, one))) for one in marked]


def _is_of_the_next(one: SlotWords, others: Sequence[SlotWords]) -> bool:
    """Return whether words only say what is of the next sender: `the newsletter of` `the shop`."""
    return OF.search(one.text) is not None and any(one.end <= other.start <= one.end + 1 for other in others)


def _several_lists(said: Said) -> list[str] | None:
    """Return the handles of several shown mails to unsubscribe from their lists; None for one mail."""
    way = way_of(said)
    if names_mails(said) or not (way.every or way.first or way.final or len(way.numbers) > 1):
        return None
    found = many_mails(said)
    handles = [str(one.get("handle", "")) for one in found.references] if found is not None else []
    return handles if 1 < len(handles) <= MOST_PASSED_ON and all(handles) else None


def invite(said: Said) -> PlannerOutput:
    """`[accept](answer) the invitation`; where none was shown, the newest one."""
    tool = "user_email_answer_invite"
    said.need(tool)
    heard = (said.words("answer"), said.request.text)
    response = next((name for words in heard for name, pattern in ANSWERS if pattern.search(words)), "")
    if not response:
        raise Asking(say("Shall I accept, decline, or say maybe?"))
    mail = _invitation(said)
    if mail.is_message:
        raise Asking(say(WHICH_MAIL))
    comment = _comment(said)
    more = {"comment": comment} if comment else {}
    return mail.then(
        calls.call(tool, say("Answer the invitation"), message_id=mail.reference, response=response, **more)
    )


def _comment(said: Said) -> str:
    """Return the comment as it was said; a German clause behind `dass` becomes a sentence if its order is certain."""
    slot = next((slot for slot in TEXTS if said.has(slot)), "")
    words = bare(said.words(slot)) if slot else ""
    start = next((one.start for one in said.request.slots if one.slot == slot), 0)
    clause = said.language == "de" and THAT.search(said.request.text[:start]) is not None
    return (main_clause(words) if clause else None) or words


def _invitation(said: Said) -> Meant:
    shown = last_shown_kind(said.scene)
    points = said.has("ref") or said.scene.request.replied_to
    if names_mails(said) or shown is ReferentKind.MAIL or (points and shown is not ReferentKind.EVENT):
        return one_mail(said, strictly=True)
    return found_first(_about_invitations(said))


def _about_invitations(said: Said) -> Said:
    """Return the request as a search by the word for an invitation."""
    return with_topic(said.with_slots(()), *plain("invitation", said.language))


BUILDERS: dict[str, Builder] = {
    name: tappable(builder)
    for name, builder in (
        ("mail.search", search), ("mail.count", count), ("mail.read", read), ("mail.senders", senders),
        ("mail.threads", threads), ("mail.draft", draft), ("mail.forward", forward),
        ("mail.unsubscribe", unsubscribe), ("mail.invite", invite), ("message.send", told), ("mail.send", told),
    )
}  # fmt: skip
"""`message.send` and `mail.send` to `them` answer the mail that was shown last; all others are sent by `messages`."""
