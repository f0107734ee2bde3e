"""Builds requests about the owner's Telegram chats: reading them, answering in them, and changing sent messages."""

from datetime import datetime
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import Draft
from butler.orchestrator.embedded.items import last_shown_kind
from butler.orchestrator.embedded.people import Person, Way, reference
from butler.orchestrator.embedded.searching import Search, look
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.mail import builders as mail
from butler.orchestrator.understanding.mail.builders import UNREAD, words_about
from butler.orchestrator.understanding.messages import WORDS, send, way_of
from butler.orchestrator.understanding.people.groups import group_of, group_within, is_group
from butler.orchestrator.understanding.people.who import is_named, is_pronoun, known, without_article
from butler.orchestrator.understanding.said import Builder, Said, span_of
from butler.orchestrator.understanding.texts.reported import text_of
from butler.orchestrator.understanding.things.refs import one_of, pointed
from butler.store.conversation import Referent
from butler.understanding.stored_words import patterns_in, stored, whole_in
from butler.understanding.times.parse import parse

HISTORY = "user_telegram_get_message_history"
MESSAGE = frozenset({ReferentKind.MESSAGE})
MAIL_WORDS, CHAT_WORDS = whole_in(*WORDS, "mail"), patterns_in(*WORDS, "chat")
SELF = frozenset(stored(*WORDS, "self"))
"""Words for the owner, whose words in a chat are asked for: `what did I answer`."""
WAY_OF = {ReferentKind.MESSAGE: Way.TELEGRAM, ReferentKind.MAIL: Way.MAIL}
FEW, MOST = 10, 50
SHORTEST = 3
"""The least number of letters of a word that is no article."""
WHOM = phrase("Whom shall I answer?")
WHOSE = phrase("Whose chat do you mean?")
WHICH_MESSAGE = phrase("Which message do you mean? Reply to it, or let me show you the chat first.")
WHAT_INSTEAD = phrase("What shall it say instead?")


def read(said: Said) -> PlannerOutput:
    """`what did [the family group](from) say [today](time)`."""
    words = _named(said)
    if not words:
        return listed(said)
    if is_pronoun(words):
        raise Asking(say(WHOSE))
    person = known(words, said.scene)
    filters = _filters(said)
    if person is None or (is_group(words) and not person.contacts):
        said.need(HISTORY)
        return calls.plan(read_called(words, said.language, filters))
    return _of_person(said, person, filters)


def _named(said: Said) -> str:
    """Return the words that name the chat; words that are only an article do not count."""
    for slot in ("from", "to", "with"):
        every = [one for one in said.request.words(slot) if without_article(one).casefold() not in SELF]
        if every:
            return next((one for one in every if len(one) >= SHORTEST and not is_pronoun(one)), every[0])
    return group_within(said.request.text, said.language) or _in_passing(said)


def _in_passing(said: Said) -> str:
    """Return the only person named anywhere in the request, or the last shown message's writer; empty without one."""
    named = [one for one in said.scene.request.contacts if is_named(one, said.request.text)]
    if len(named) == 1:
        return named[0].aliases[0]
    shown = _last_message(said)
    contact = said.scene.contact(shown) if shown is not None and not named else None
    return contact.aliases[0] if contact is not None else ""


def read_called(words: str, language: str, filters: dict[str, Any]) -> PlanStep:
    """Return the step that reads a chat which the owner described, with its possible titles."""
    group = group_of(words, "", language)
    names = list(group.called) if group is not None else [words]
    return calls.call(HISTORY, say("Read the chat “{name}”", name=words), called=names, **filters)


def _of_person(said: Said, person: Person, filters: dict[str, Any]) -> PlannerOutput:
    ways, way = person.ways(), way_of(said, None)
    if way is Way.MAIL or (Way.TELEGRAM not in ways and Way.MAIL in ways):
        return look(Search(person=person, words=words_about(said)), said.scene)
    said.need(HISTORY)
    if Way.TELEGRAM not in ways:
        raise Asking(
            say("I have no Telegram address of {name}. Add it under [[contacts]] in butler.toml.", name=person.said)
        )
    if len(person.contacts) > 1:
        raise Asking(
            say("Which {name} do you mean?", name=person.said),
            [choice(one.name, said.again("from", one.name)) for one in person.contacts],
        )
    return calls.plan(calls.read_chat(person.name, reference(person, said.scene), **filters))


def _filters(said: Said) -> dict[str, Any]:
    found: dict[str, Any] = {}
    topic = words_about(said)
    if topic:
        found["words"] = topic
    if UNREAD.search(" ".join(said.request.words("filter"))):
        found["unread"] = True
    since = _since(said)
    if since is not None and since < said.scene.now().replace(tzinfo=None):
        found["since"] = since.isoformat(timespec="minutes")
    number = pointed(said.words("count"), said.language).numbers
    if number:
        found["limit"] = min(number[0], MOST)
    return found or {"limit": MOST if said.has("time") else FEW}


def _since(said: Said) -> datetime | None:
    """Return the start time; None for a time that is not understood, as reading more does no harm."""
    words = " ".join(said.request.words("time")).split()
    now = said.scene.now()
    for end in range(len(words), 0, -1):
        found = parse(" ".join(words[:end]), said.language, now)
        if found is not None:
            return span_of(found, now)[0]
    return None


def listed(said: Said) -> PlannerOutput:
    """`which chats are [unread](filter)`."""
    states = " ".join(said.request.words("filter"))
    if UNREAD.search(states) and said.scene.has("user_telegram_get_updates"):
        return calls.plan(calls.missed_chats())
    said.need("user_telegram_list_dialogs")
    return calls.plan(calls.list_chats())


def reply(said: Said) -> PlannerOutput:
    """`answer [her](to): on my way`: in the chat or in the mail, by the words, what was shown, or the intent."""
    way = _answered_by(said)
    return mail.reply(said) if way is Way.MAIL else _in_chat(said)


def _answered_by(said: Said) -> Way:
    text = said.request.text
    for one in said.request.slots:
        text = text.replace(one.text, " ") if one.slot in {"text", "reported", "asked"} else text
    if named := way_of(said, None):
        return named
    named_ways = _ways_of_named(said)
    if len(named_ways) == 1:
        return next(iter(named_ways))
    if MAIL_WORDS.search(text):
        return Way.MAIL
    if CHAT_WORDS.search(text):
        return Way.TELEGRAM
    shown = last_shown_kind(said.scene)
    if shown is not None and shown in WAY_OF:
        return WAY_OF[shown]
    return Way.MAIL if said.request.intent == "mail.reply" else Way.TELEGRAM


def _ways_of_named(said: Said) -> frozenset[Way]:
    """Return the ways to write to the named person; none if nobody known is named."""
    words = said.words("to") or said.words("from")
    person = known(words, said.scene) if words and not is_pronoun(words) else None
    return frozenset(person.ways()) if person is not None else frozenset()


def _in_chat(said: Said) -> PlannerOutput:
    shown = _last_message(said)
    named = said.words("to") or said.words("from")
    person = known(named, said.scene) if named else None
    if is_pronoun(named) and not said.scene.request.replied_to:
        _sure_of_one(said)
    if shown is None or not _is_by(shown, named, person, said):
        if not named:
            raise Asking(say(WHOM))
        return send(said)
    contact = said.scene.contact(shown)
    text = text_of(said, Draft((person,) if person else (), "", Way.TELEGRAM))
    if not text:
        raise Asking(say("What shall I answer?"))
    said.need("user_telegram_reply_to_message")
    return calls.plan(
        calls.reply_message("user_telegram_reply_to_message", shown.handle, text, contact.name if contact else "")
    )


def _sure_of_one(said: Said) -> None:
    """Raise `Asking` if several people were named last, so that `her` is ambiguous."""
    request, slot = said.scene.request, "to" if said.has("to") else "from"
    for message in reversed(request.history):
        named = [one for one in request.contacts if is_named(one, message.content)]
        if len(named) > 1:
            raise Asking(say(WHOM), [choice(one.name, said.again(slot, one.aliases[0])) for one in named])
        if named:
            return


def _is_by(shown: Referent, named: str, person: Person | None, said: Said) -> bool:
    """Return whether the shown message may be by the named person; unknown names match messages without a contact."""
    if not named or is_pronoun(named):
        return True
    if person is not None:
        return shown.contact_id in {one.contact_id for one in person.contacts}
    slot = next(one for one in said.request.slots if one.slot in {"to", "from"})
    return shown.contact_id is None and group_of(named, said.request.text[: slot.start], said.language) is None


def _last_message(said: Said) -> Referent | None:
    """Return the newest message by the named person, else by any contact, else the newest one."""
    request = said.scene.request
    shown = [one for one in request.replied_to or request.referents if one.kind is ReferentKind.MESSAGE]
    named = {one.contact_id for one in request.contacts if is_named(one, said.words("ref"))}
    theirs = [one for one in shown if one.contact_id in named] or [one for one in shown if one.contact_id is not None]
    return (theirs or shown)[-1] if shown else None


def _own(said: Said) -> Referent:
    try:
        found = one_of(said, MESSAGE)
    except Asking:
        found = None
    if found is None:
        raise Asking(say(WHICH_MESSAGE))
    return found


def edit(said: Said) -> PlannerOutput:
    """`change [my last message](ref) to “at seven”`."""
    said.need("user_telegram_edit_message")
    text = text_of(said, Draft((), "", Way.TELEGRAM)) or said.words("value")
    if not text:
        raise Asking(say(WHAT_INSTEAD))
    return calls.plan(calls.edit_message("user_telegram_edit_message", _own(said).handle, text))


def delete(said: Said) -> PlannerOutput:
    """`unsend [that](ref)`."""
    said.need("user_telegram_delete_message")
    return calls.plan(calls.delete_message("user_telegram_delete_message", _own(said).handle))


BUILDERS: dict[str, Builder] = {
    "chat.read": read, "mail.reply": reply, "chat.list": listed, "message.reply": reply, "message.edit": edit,
    "message.delete": delete,
}  # fmt: skip
