"""A card's words while they are edited, and the operations that edit them. Nothing here guesses: it asks."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from approvals.card_replies import CardDraft
from approvals.visible import visible_line
from butler.contract.speech import phrase, say
from butler.contract.tools import Attachment, Recipient
from butler.orchestrator.edits.values import Kind, Value, fitted, flat, only_values, targets, values
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.say import capital

MOST = 20_000
"""Most characters of a text that is searched for phrases."""
HINT = phrase("Write “change … to …” with words of the card, or send the whole new text as “text: …”.")
STANDS_FOR_NOTHING = {
    Kind.MONEY: phrase("The text has no amount that “{words}” could stand for."),
    Kind.PHONE: phrase("The text has no telephone number that “{words}” could stand for."),
    Kind.DAY: phrase("The text has no day that “{words}” could stand for."),
    Kind.SPAN: phrase("The text has no stretch of time that “{words}” could stand for."),
    Kind.TIME: phrase("The text has no time that “{words}” could stand for."),
    Kind.NUMBER: phrase("The text has no number that “{words}” could stand for."),
}
ENDS = ".!?…"
ALL_FILES = re.compile(r"(?:attachment|file|document|picture|photo|image|pdf)(?P<many>s?)", re.IGNORECASE)
NUMBERED = re.compile(r"(?:file |attachment )?(?:number |no\.? )?(\d{1,2})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CardContent:
    """What a card says. `*_kept`: part of the original is still there."""

    text: str | None
    subject: str | None
    recipients: tuple[Recipient, ...]
    attachments: tuple[Attachment, ...]
    text_kept: bool = True
    subject_kept: bool = True
    recipients_kept: bool = True
    from_contacts: bool = False
    """A recipient was added by a name of the owner's contacts."""
    account: str = ""
    accounts: tuple[str, ...] = ()
    """The accounts that it could go through instead."""

    @property
    def body(self) -> str:
        """The text; raises `Asking` if the call has none."""
        if self.text is None:
            raise Asking(say("There is no text on this card that could be changed; to have it otherwise, ask me anew."))
        return self.text


class NotFoundError(Asking):
    """The instruction is clear, but its words are not on the card."""


def sheet_of(draft: CardDraft) -> CardContent:
    """Return what a card says."""
    return CardContent(
        draft.text,
        draft.subject,
        draft.recipients,
        draft.attachments,
        account=draft.account,
        accounts=draft.accounts,
    )


Op = Callable[[CardContent], CardContent]


def whole(words: str) -> Op:
    """Replace the whole text."""

    def change(sheet: CardContent) -> CardContent:
        return sheet if sheet.body == words else replace(sheet, text=words, text_kept=False)

    return change


def subject(words: str) -> Op:
    """Replace the whole subject."""

    def change(sheet: CardContent) -> CardContent:
        if sheet.subject is None:
            raise Asking(say("This has no subject."))
        return replace(sheet, subject=words, subject_kept=False)

    return change


def add(words: str) -> Op:
    """Add a sentence at the end."""

    def change(sheet: CardContent) -> CardContent:
        body = sheet.body.rstrip()
        end = "" if not body or not body[-1].isalnum() else "."
        sentence = capital(words)
        return replace(sheet, text=f"{body}{end}{' ' if body else ''}{_ended(sentence, body)}")

    return change


def _ended(sentence: str, body: str) -> str:
    """Return the sentence with a full stop if the text before it ends with one."""
    return f"{sentence}." if body.endswith(tuple(ENDS)) and sentence[-1:].isalnum() else sentence


def start(words: str) -> Op:
    """Put words before the text."""

    def change(sheet: CardContent) -> CardContent:
        joint = ", " if words[-1:].isalnum() else " "
        return replace(sheet, text=f"{words}{joint}{sheet.body.lstrip()}")

    return change


def sign(words: str) -> Op:
    """Add a line of its own at the end."""

    def change(sheet: CardContent) -> CardContent:
        gap = "\n" if sheet.subject is None else "\n\n"
        return replace(sheet, text=f"{sheet.body.rstrip()}{gap}{words}")

    return change


def swap(old: str, new: str) -> Op:
    """Replace words of the card by others: in the text, and in the subject if it has the same words."""
    return lambda sheet: _everywhere(sheet, old, lambda text, start, end: _put(text, start, end, new))


def remove(words: str) -> Op:
    """Remove words from the card."""

    def change(sheet: CardContent) -> CardContent:
        if (cut := _sentence(sheet.text or "", words)) is not None:
            return replace(sheet, text=cut)
        return _everywhere(sheet, words, _cut)

    return change


def make(words: str) -> Op:
    """Replace the only phrase of each kind that the words have, such as a time."""

    def change(sheet: CardContent) -> CardContent:
        if len(sheet.body) > MOST:
            text = say("The text is too long for me to find what “{words}” stands for.", words=words)
            raise Asking(f"{text} {say(HINT)}")
        items = only_values(words)
        if not items:
            return _followed_made(sheet, words)
        for new in items:
            sheet = _made(sheet, new, words)
        return sheet

    return change


def account(words: str) -> Op:
    """Send through another account, by the owner's name for it."""

    def change(sheet: CardContent) -> CardContent:
        if not sheet.accounts:
            raise Asking(say("This goes through no account that could be changed."))
        if (name := account_called(sheet, words)) is None:
            known = ", ".join(sheet.accounts)
            raise Asking(say("There is no account {name}. This can go through {accounts}.", name=words, accounts=known))
        return replace(sheet, account=name)

    return change


def account_called(sheet: CardContent, words: str) -> str | None:
    """Return the account of this name, in any spelling."""
    return next((name for name in sheet.accounts if _plain_name(name) == _plain_name(words)), None)


def _plain_name(words: str) -> str:
    return " ".join(re.split(r"[\s_-]+", words.casefold().strip()))


def drop(words: str) -> Op:
    """Remove a file by name or number, or all files."""

    def change(sheet: CardContent) -> CardContent:
        gone = _files(sheet.attachments, words)
        return replace(sheet, attachments=tuple(file for file in sheet.attachments if file not in gone))

    return change


def has_file(sheet: CardContent, words: str) -> bool:
    """Return whether words name one of the files."""
    return any(_is_called(file, words) for file in sheet.attachments)


def finds(sheet: CardContent, words: str) -> bool:
    """Return whether the words are on the card."""
    return any(_places(text, words) for text in (sheet.text, sheet.subject) if text)


def _files(files: tuple[Attachment, ...], words: str) -> tuple[Attachment, ...]:
    if not files:
        raise Asking(say("There are no attachments on this card."))
    every, numbered = ALL_FILES.fullmatch(words), NUMBERED.fullmatch(words)
    if every is not None and (every["many"] or len(files) == 1):
        return files
    if numbered is not None and 0 < int(numbered[1]) <= len(files):
        return (files[int(numbered[1]) - 1],)
    named = tuple(file for file in files if _is_called(file, words))
    if len(named) == 1:
        return named
    choices = [choice(visible_line(file.name), f"drop file {number}") for number, file in enumerate(files, 1)]
    raise Asking(say("Which file shall go?"), choices)


def _is_called(file: Attachment, words: str) -> bool:
    name = file.name.casefold()
    return words.casefold() in {name, name.rpartition(".")[0]}


def _made(sheet: CardContent, new: Value, said: str) -> CardContent:
    words = said[new.start : new.end]
    found = targets(sheet.body, new)
    if not found:
        raise NotFoundError(f"{say(STANDS_FOR_NOTHING[new.kind], words=words)} {say(HINT)}")
    if len({value.text.casefold() for value in found}) > 1:
        texts = [value.text.casefold() for value in found]
        single = [value.text for value in found if texts.count(value.text.casefold()) == 1]
        choices = [choice(text, f"change “{text}” to “{words}”") for text in single]
        raise Asking(say("What shall “{words}” stand for?", words=words), choices)
    if len(found) > 1:
        sentence = say("“{words}” stands there {count} times.", words=found[0].text, count=len(found))
        raise Asking(f"{sentence} {say(HINT)}")
    old = found[0]
    text = _put(sheet.body, old.start, old.end, fitted(sheet.body, old, new, said))
    also = [value for value in targets(sheet.subject or "", new) if value.text == old.text]
    if sheet.subject and len(also) == 1:
        at = also[0]
        sheet = replace(sheet, subject=_put(sheet.subject, at.start, at.end, fitted(sheet.subject, at, new, said)))
    return replace(sheet, text=text)


def fits(sheet: CardContent, words: str) -> bool:
    """Return whether words are a phrase of a kind and its next words on the card, as in `three bottles`."""
    return sheet.text is not None and len(sheet.text) <= MOST and len(_followed(sheet.text, words)) == 1


def _followed(text: str, words: str) -> list[tuple[Value, Value]]:
    """Return the phrases of a text that are followed by the same words as the new one, each paired with it."""
    items = values(words)
    if not items or not only_values(words[: items[0].end]):
        return []
    rest = re.escape(flat(words[items[0].end :]).strip().removesuffix("s"))
    after = [(old, flat(text)[old.end : old.end + len(words) + 2]) for old in targets(text, items[0])]
    return [(old, items[0]) for old, rear in after if rest and re.match(rf"\s*{rest}(?:s|es)?\b", rear, re.IGNORECASE)]


def _followed_made(sheet: CardContent, words: str) -> CardContent:
    found = _followed(sheet.body, words)
    if len(found) != 1:
        text = say("I cannot tell what of the text “{words}” shall replace.", words=words)
        raise NotFoundError(f"{text} {say(HINT)}")
    old, new = found[0]
    return replace(sheet, text=_put(sheet.body, old.start, old.end, fitted(sheet.body, old, new, words)))


def _everywhere(sheet: CardContent, words: str, put: Callable[[str, int, int], str]) -> CardContent:
    in_text = _places(sheet.text or "", words)
    in_subject = _places(sheet.subject or "", words)
    if not in_text and not in_subject:
        sentence = say("“{words}” does not stand on the card.", words=words)
        raise NotFoundError(f"{sentence} {say(HINT)}")
    if len(in_text) > 1 or (not in_text and len(in_subject) > 1):
        count = max(len(in_text), len(in_subject))
        sentence = say("“{words}” stands there {count} times.", words=words, count=count)
        more = say("Name more of the words around it.")
        raise Asking(f"{sentence} {more}")
    text, title = sheet.text, sheet.subject
    if in_text and text is not None:
        text = put(text, *in_text[0])
    if len(in_subject) == 1 and title is not None:
        title = put(title, *in_subject[0])
    return replace(sheet, text=text, subject=title)


def _places(text: str, words: str) -> list[tuple[int, int]]:
    """Return where the words stand as whole words, in exact case or, failing that, in any case."""
    pieces = [re.escape(piece) for piece in flat(words).split()]
    if not pieces:
        return []
    joined = r"\s+".join(pieces)
    pattern = rf"(?<!\w){joined}" + (r"(?!\w)" if words.strip()[-1:].isalnum() else "")
    exact = [match.span() for match in re.finditer(pattern, flat(text))]
    return exact or [match.span() for match in re.finditer(pattern, flat(text), re.IGNORECASE)]


def _sentence(text: str, words: str) -> str | None:
    """Return the text without its first or last sentence, if the words name one; else None."""
    match = re.fullmatch(r"(?:the )?(first|last) (?:sentence|line)", words.strip(), re.IGNORECASE)
    if match is None:
        return None
    by_line = words.strip().lower().endswith("line")
    sentences = list(re.finditer(r"[^\n]+" if by_line else r"\S[^\n]*?(?:[.!?…]+(?=\s|$)|(?=\n)|$)", text))
    if len(sentences) < 2:  # noqa: PLR2004 - what is left must be a text
        raise Asking(say("The text has one sentence only. Tap Deny if it shall not be sent."))
    if match[1].lower() == "first":
        return text[sentences[1].start() :].lstrip()
    return text[: sentences[-1].start()].rstrip()


def _cut(text: str, start: int, end: int) -> str:
    """Return a text without some of its words, and without the blank or comma that would be left over."""
    before, after = text[:start].rstrip(" \t"), text[end:].lstrip(" \t")
    if not before.strip():
        after = after.lstrip(",;.!? \t\n")
        return after[:1].upper() + after[1:] if text.lstrip()[:1].isupper() else after
    if not after.strip() or after[0] in ".!?":
        return before.rstrip(",;") + after
    return f"{before}{'' if after[0] in ',;:' or before[-1] == chr(10) or after[0] == chr(10) else ' '}{after}"


def _put(text: str, start: int, end: int, words: str) -> str:
    return f"{text[:start]}{words}{text[end:]}"


def is_value(words: str) -> bool:
    """Return whether words are nothing but phrases of the kinds in `values`."""
    return bool(only_values(words))
