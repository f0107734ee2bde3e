"""Sets, lists and takes back what the owner prefers of answers; told in the transaction that does it."""

from datetime import datetime

import sqlalchemy as sa

from butler.contract.card import Button, OwnerMessage, Rich, Span, Style, plain
from butler.contract.inbound import Inbound
from butler.contract.provenance import Labelled
from butler.orchestrator.preferences import Preference, PreferenceName, said_by_owner
from butler.store.queries import conversations, outbox, preferences
from butler.store.queries.conversations import ChoiceRow

FORGET = "forget_preference"
NOT_YOURS = "What you prefer is set by your own words alone, so I changed nothing."
NONE_YET = "You have not told me any preference. Say “call me Max”, “answer in German” or “answer briefly”."
SHOWN = {
    (PreferenceName.LANGUAGE, "en"): "I answer in English",
    (PreferenceName.LANGUAGE, "de"): "I answer in German",
    (PreferenceName.LANGUAGE, "fr"): "I answer in French",
    (PreferenceName.LANGUAGE, "es"): "I answer in Spanish",
    (PreferenceName.PERSONA, "Technical"): "answers are technical",
    (PreferenceName.PERSONA, "Executive"): "answers are for an executive",
    (PreferenceName.PERSONA, "General"): "answers are for everybody",
    (PreferenceName.LENGTH, "brief"): "answers are brief",
    (PreferenceName.LENGTH, "full"): "answers are full",
    (PreferenceName.SOURCES, "quoted"): "sources are shown with what they say",
    (PreferenceName.SOURCES, "named"): "sources are shown by name",
}


def prefer(
    preference: Preference, words: Labelled[str], connection: sa.Connection, item: Inbound, now: datetime
) -> None:
    """Do as these words of the owner say; refuse what they do not say."""
    if not said_by_owner(preference, words):
        text = plain(NOT_YOURS)
    elif preference.value:
        preferences.put(connection, preference.name, preference.value, said_in=item.inbound_id, now=now)
        text = plain(f"All right: {described(preference.name, preference.value)}. /preferences lists what you prefer.")
    else:
        text = plain(forget(connection, preference.name))
    outbox.add(connection, item.chat, OwnerMessage(text=text), now=now, dedup_key=f"turn:{item.inbound_id}")


def described(name: str, value: str) -> str:
    """A preference in words."""
    if name == PreferenceName.NAME:
        return f"I call you {value}"
    return next((text for (known, of), text in SHOWN.items() if (known, of) == (name, value)), f"{name}: {value}")


def say(connection: sa.Connection, item: Inbound, now: datetime) -> None:
    """List what is preferred, each with a button that takes it back."""
    known = preferences.every(connection)
    text: Rich = plain(NONE_YET)
    rows: tuple[tuple[Button, ...], ...] = ()
    if known:
        lines = [Span(text=f"\n• {described(name, value)}") for name, value in known.items()]
        text = (Span(text="What you prefer:", style=Style.BOLD), *lines)
        rows = tuple((_button(connection, item.chat, name, value, now),) for name, value in known.items())
    message = OwnerMessage(text=text, buttons=rows)
    outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")


def _button(connection: sa.Connection, chat: str, name: str, value: str, now: datetime) -> Button:
    label = f"No longer: {described(name, value)}"
    return Button(
        label=label, data=conversations.offer_steps(connection, chat, {FORGET: name}, words=label, about="", now=now)
    )


def taken_back(choice: ChoiceRow) -> str:
    """The preference that a tapped button takes back; empty where it is for something else."""
    return str((choice.steps or {}).get(FORGET, ""))


def forget(connection: sa.Connection, name: str) -> str:
    """Take one back, and what is told of it."""
    what = name.replace("name", "what to call you")
    return f"All right, I forgot {what}." if preferences.remove(connection, name) else f"I know no preference: {what}."
