"""Sets, lists and removes the owner's preferences for answers, and reports it in the same transaction.

A new language takes effect immediately: its confirmation is already in it, and the client's command list is updated.
"""

from datetime import datetime

import sqlalchemy as sa

from butler.contract.card import Button, OwnerMessage, Rich, Span, Style, plain
from butler.contract.inbound import Inbound
from butler.contract.own_commands import preference_words
from butler.contract.provenance import Labelled
from butler.contract.speech import phrase, say, speak
from butler.orchestrator.planning.preferences import Preference, PreferenceName, is_set_by_owner
from butler.store.queries import conversations, outbox, preferences, work
from butler.store.queries.conversations import ChoiceRow
from config.language import OwnerLanguage

FORGET = "forget_preference"
SPEAKS = "speaks"
"""The work kind that updates the texts kept by the owner's client to a new language; its subject is the language."""
NOT_YOURS = phrase("What you prefer is set by your own words alone, so I changed nothing.")
NONE_YET = phrase("You have not told me any preference. Say “call me Max”, “answer in German” or “answer briefly”.")
FORGOTTEN = {
    PreferenceName.NAME: phrase("All right, I forgot what to call you."),
    PreferenceName.LANGUAGE: phrase("All right, I forgot language."),
    PreferenceName.PERSONA: phrase("All right, I forgot persona."),
    PreferenceName.LENGTH: phrase("All right, I forgot length."),
    PreferenceName.SOURCES: phrase("All right, I forgot sources."),
}
NOT_KNOWN = {
    PreferenceName.NAME: phrase("I know no preference: what to call you."),
    PreferenceName.LANGUAGE: phrase("I know no preference: language."),
    PreferenceName.PERSONA: phrase("I know no preference: persona."),
    PreferenceName.LENGTH: phrase("I know no preference: length."),
    PreferenceName.SOURCES: phrase("I know no preference: sources."),
}


def language_of(connection: sa.Connection, otherwise: str) -> OwnerLanguage:
    """Return the language that the owner prefers, or else the one of the settings."""
    return OwnerLanguage(preferences.every(connection).get(PreferenceName.LANGUAGE, otherwise))


def prefer(
    preference: Preference,
    words: Labelled[str],
    language: str,
    connection: sa.Connection,
    item: Inbound,
    now: datetime,
) -> None:
    """Set or remove a preference if these words of the owner ask for it; else refuse. `language` is the setting."""
    text = say(NOT_YOURS)
    if is_set_by_owner(preference, words):
        text = set_preference(preference, language, connection, item.inbound_id, now)
    outbox.add(connection, item.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=f"turn:{item.inbound_id}")


def set_preference(
    preference: Preference, language: str, connection: sa.Connection, said_in: str, now: datetime
) -> str:
    """Set or remove a preference and return the confirmation.

    `said_in` is the request that asked for it, and `language` the one of the settings.
    """
    if not preference.value:
        return forget(connection, preference.name, language, now)
    preferences.put(connection, preference.name, preference.value, said_in=said_in, now=now)
    _speak(connection, preference.name, language, now)
    what = preference_words(preference.name, preference.value)
    return say("All right: {what}. /preferences lists what you prefer.", what=what)


def _speak(connection: sa.Connection, name: str, language: str, now: datetime) -> None:
    """Switch to the preferred language if the language changed."""
    if name == PreferenceName.LANGUAGE:
        spoken = language_of(connection, language)
        speak(spoken)
        work.add(connection, SPEAKS, spoken.value, lane=SPEAKS, now=now)


def show(connection: sa.Connection, item: Inbound, now: datetime) -> None:
    """List the preferences, each with a button that takes it back."""
    known = preferences.every(connection)
    text: Rich = plain(say(NONE_YET))
    rows: tuple[tuple[Button, ...], ...] = ()
    if known:
        lines = [Span(text=f"\n• {preference_words(name, value)}") for name, value in known.items()]
        text = (Span(text=say("What you prefer:"), style=Style.BOLD), *lines)
        rows = tuple((_button(connection, item.chat, name, value, now),) for name, value in known.items())
    message = OwnerMessage(text=text, buttons=rows)
    outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")


def _button(connection: sa.Connection, chat: str, name: str, value: str, now: datetime) -> Button:
    label = say("No longer: {what}", what=preference_words(name, value))
    return Button(
        label=label, data=conversations.offer_steps(connection, chat, {FORGET: name}, words=label, about="", now=now)
    )


def taken_back(choice: ChoiceRow) -> str:
    """Return the preference that a tapped button takes back; empty for another button."""
    return str((choice.steps or {}).get(FORGET, ""))


def forget(connection: sa.Connection, name: str, language: str, now: datetime) -> str:
    """Remove a preference and return the confirmation. `language` is the one of the settings."""
    preference = PreferenceName(name)
    if not preferences.remove(connection, preference):
        return say(NOT_KNOWN[preference])
    _speak(connection, preference, language, now)
    return say(FORGOTTEN[preference])
