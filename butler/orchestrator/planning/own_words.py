"""Takes the owner's own words out of a message; forwarded and quoted text is left out, and only counted."""

import re
from dataclasses import dataclass

from butler.contract.inbound import Inbound, InboundKind
from butler.contract.mail import MailKind
from butler.contract.provenance import Labelled, Origin, Trust
from butler.contract.speech import phrase, say, say_many

PASSED_ON = re.compile(r"(?:\[[^\]]{0,40}\]\s*)*[^\W\d_][\w.'’-]{0,19}\s*(?:[\[(^]?\d{1,3}[\])]?)?\s*[:：]")
"""The beginning of an answered or forwarded mail's subject in any language: one word and a colon."""
NOT_READ = {
    "sticker": phrase("I cannot read stickers. Tell me in words what to do."),
    "location": phrase("I cannot read locations. Tell me in words what to do."),
    "contact": phrase("I cannot read contacts. Tell me in words what to do."),
    "poll": phrase("I cannot read polls. Tell me in words what to do."),
    "dice": phrase("I cannot read dice. Tell me in words what to do."),
    "venue": phrase("I cannot read venues. Tell me in words what to do."),
    "game": phrase("I cannot read games. Tell me in words what to do."),
    "story": phrase("I cannot read stories. Tell me in words what to do."),
    "checklist": phrase("I cannot read checklists. Tell me in words what to do."),
    "paid_media": phrase("I cannot see paid media. Tell me in words what to do."),
}
"""The answers to messages without words, by the provider's name for them."""
NOT_BY_A_DETOUR = phrase(
    "Your mail came through a forwarder, whose word is not enough for that. Say it here, and I do it."
)
NOT_BY_ITSELF = phrase("An automation asked for that, and it is for you alone to say. Say it here, and I do it.")
NONE_READ = phrase("I cannot read such messages. Tell me in words what to do.")


@dataclass(frozen=True, slots=True)
class OwnerWords:
    """The owner's words in a message, and the pieces by others in it."""

    words: Labelled[str]
    others: tuple[Labelled[str], ...]


def owner_words(item: Inbound) -> OwnerWords:
    """Split a message that the owner sent into own words and everything else.

    A mail that is not proved to be the owner's has no own words.
    """
    segments = item.segments or (Labelled(value=item.text, origins=frozenset({item.origin})),)
    own = [s for s in segments if s.origins and all(o.trust is Trust.OWNER for o in s.origins)]
    others = tuple(s for s in segments if s not in own)
    text = "\n".join(s.value.strip() for s in own if s.value.strip())
    if item.kind is InboundKind.MAIL:
        text = (text or _subject_alone(item)) if is_proved(item) else ""
    origins = frozenset[Origin]().union(*(s.origins for s in own)) or frozenset({Origin.owner(item.chat)})
    return OwnerWords(Labelled(value=text, origins=origins), others)


def in_doubt(item: Inbound) -> frozenset[Origin]:
    """Return the label of text of doubtful authorship in a mail besides its command; else an empty set."""
    if item.mail is None or not item.mail.doubtful:
        return frozenset()
    return frozenset({item.origin}).union(*(one.origins for one in owner_words(item).others))


def is_proved(item: Inbound) -> bool:
    """Return whether a mail to the butler is proved to be the owner's, so that it may command."""
    return item.payload.get("authority", {}).get("command") is True


def is_vouched_for(item: Inbound) -> bool:
    """Return whether a mail is proved only by a forwarder's word: enough to ask and to read, and for nothing else."""
    return is_proved(item) and bool(item.payload["authority"].get("sealed_by"))


def is_by_itself(item: Inbound) -> bool:
    """Return whether an automation made the item.

    The owner wrote its words or saw its steps when it was created, but says none now.
    """
    return item.kind in {InboundKind.TICK, InboundKind.HOOK}


def not_from_here(item: Inbound) -> str:
    """Return why this item may not give a command that changes something; empty if it may."""
    if is_by_itself(item):
        return NOT_BY_ITSELF
    return NOT_BY_A_DETOUR if is_vouched_for(item) else ""


def is_set_going(item: Inbound) -> bool:
    """Return whether anybody but the owner triggered the item; output that others see then asks, despite any rule."""
    others = item.origin.trust in {Trust.CONTACT, Trust.UNTRUSTED}
    return is_vouched_for(item) or (is_by_itself(item) and others)


def brought_about_by(item: Inbound) -> Origin:
    """Return the label of who triggered the item.

    An automation's label is marked `set_going`, as its trigger wrote none of the words; a forwarder's mail holds the
    words themselves.
    """
    return item.origin.model_copy(update={"set_going": True}) if is_by_itself(item) else item.origin


def written(item: Inbound) -> str:
    """Return what a mail's sender wrote above any forwarded text; the subject if the mail has no text."""
    facts = item.mail
    if facts is None or is_proved(item):
        return owner_words(item).words.value
    if facts.kind is MailKind.FORWARD and facts.forwarded is None and not facts.quotes:
        # The start of the forwarded part was not found, so its first line may be anybody's.
        return ""
    return facts.words.strip() or _subject_alone(item)


def _subject_alone(item: Inbound) -> str:
    """Return the subject of a mail that holds nothing else, unless it comes from a mail it answers or forwards."""
    subject = str(item.payload.get("subject") or "").strip()
    alone = not item.text.strip() and (item.mail is None or not (item.mail.forwarded or item.mail.invite))
    if any(item.payload.get(name) for name in ("in_reply_to", "references")):
        return ""
    return subject if alone and not PASSED_ON.match(subject) else ""


def without_words(item: Inbound) -> str:
    """Return the answer to a message that holds no words of the owner."""
    if missing := item.payload.get("missing_files"):
        why = say(missing[0]["reason"])
        return say("A file did not reach me: {why}. Tell me in words what to do.", why=why)
    if files := len(item.attachments):
        return say_many(
            files,
            "I got 1 file. Tell me in words what to do.",
            "I got {count} files. Tell me in words what to do.",
        )
    if item.text:
        return say("I see only what somebody else wrote. Tell me in your own words what to do with it.")
    return say(NOT_READ.get(str(item.payload.get("unread")), NONE_READ))
