"""The possible results of the owner's reply to a card: a new version, a correction, another act, or an answer.

Changed words of a card are recorded as a change of the arguments, with the labels of who chose them.
"""

from dataclasses import dataclass

from approvals.revise import Change, NewValue
from butler.contract.speech import phrase
from butler.orchestrator.edits.bulk_edits import CONTACTS, NothingLeft, ReplacementAct
from butler.orchestrator.edits.card_content import CardContent
from butler.orchestrator.edits.reading import Word
from butler.orchestrator.planning.plan_types import Choice
from butler.provenance import Labels

ABOUT = "card"
"""Prefix of the subject of a choice that is about a card; approval and revision follow."""
NOT_BY_WORDS = phrase("A yes is given by the Approve button, so that nobody else's words can give it.")
STILL_WAITS = phrase("The card waits as it was. Tap a button on it, or say what to change.")
NOT_DELETED_BY_WORDS = phrase(
    "Tap Delete on the card to take it back; words alone take nothing back. Nothing was changed."
)
LISTED = phrase(
    "This card is about exactly what was listed for it, so nothing of it can be changed. Tap Deny, and ask me anew for "
    "what you want."
)
NOT_REWORDED = phrase("I could not make that change of the text. Nothing was changed.")
NO_FILES = phrase("I cannot put files into a card. Nothing was changed.")


@dataclass(frozen=True, slots=True)
class Card:
    """The card that was replied to, as its message shows it."""

    approval_id: str
    revision: int

    def subject(self) -> str:
        """Return the card as the subject of a choice."""
        return f"{ABOUT}:{self.approval_id}:{self.revision}"

    @classmethod
    def of(cls, subject: str) -> "Card | None":
        """Parse the subject of a choice; None if it is about something else."""
        match subject.split(":"):
            case [kind, approval_id, revision] if kind == ABOUT:
                return cls(approval_id, int(revision))
            case _:
                return None


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """An answer instead of a new card, perhaps with choices to tap."""

    text: str
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Correction:
    """What is to replace an effect that is already done."""

    approval_id: str
    change: Change


Answer = Change | Correction | ReplacementAct | NothingLeft | PlainAnswer | Word


def change_of(old: CardContent, new: CardContent, origins: Labels, by: str) -> Change:
    """Return the difference of two sheets as a change, with the labels of who chose it."""
    gone = tuple(file for file in old.attachments if file not in new.attachments)
    to = origins | {CONTACTS} if new.from_contacts else origins
    return Change(
        by=by,
        text=NewValue(new.text, origins, partly=new.text_kept)
        if new.text is not None and new.text != old.text
        else None,
        subject=(
            NewValue(new.subject, origins, partly=new.subject_kept)
            if new.subject is not None and new.subject != old.subject
            else None
        ),
        recipients=(
            NewValue(new.recipients, to, partly=new.recipients_kept) if new.recipients != old.recipients else None
        ),
        dropped=NewValue(gone, origins) if gone else None,
        account=NewValue(new.account, origins) if new.account != old.account else None,
    )
