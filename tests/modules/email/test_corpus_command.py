"""What of many replies and forwards commands: never another's words, and as much of the sender's as is sure."""

from collections.abc import Iterable

from modules.email.parsing.command import MailBody, MailContext, command_of
from modules.email.parsing.parser import parse_mail
from tests.support.corpora import FORWARDED_MAILS, MAILS, REPLIES, rows

ABOVE = ("Praesent suscipit egestas hendrerit.\n\nAliquam eget dui dui.", "That's true!\n\nRegards,\n\ne.")
"""What stands above the mails of the corpus of forwards, where anything does."""


def above(text: str) -> str:
    return next((words for words in ABOVE if text.startswith(words)), "")


def first(own: str) -> str:
    """The paragraph that commands; the others ask."""
    return own.split("\n\n", 1)[0]


def judged(name: str, found: Iterable[tuple[str, str, str]]) -> int:
    """How many command with all of their sender's first paragraph; fails where any commands with another's."""
    whole, total = 0, 0
    for key, command, own in found:
        words = command.split()
        assert words == own.split()[: len(words)], (key, command, own)
        whole, total = whole + (words == first(own).split()), total + 1
    print(f"{name}: {whole} of {total} command with their whole first paragraph, none with another's words")
    return whole


def test_of_replies_none_commands_with_words_that_are_not_its_senders() -> None:
    replies = rows(REPLIES)
    found = [
        (row["id"], command_of(MailBody(plain=row["text"]), MailContext("Re: x", answers=True)), row["expected_reply"])
        for row in replies
    ]
    # The others ask: answers below or between what is quoted, code, and an attribution right below the words.
    assert judged("held-out replies", found) >= 25
    assert len(found) == 32


def test_of_replies_as_they_come_by_mail_none_does_either() -> None:
    mails = [row for row in rows(MAILS / "index.jsonl") if row["category"] == "reply" and "reply_text" in row["expect"]]
    found = [
        (row["file"], parse_mail((MAILS / row["file"]).read_bytes())[0].command, row["expect"]["reply_text"])
        for row in mails
    ]
    # The others ask: their two forms say different things, or nothing parts the words from the quotation.
    assert judged("replies by mail", found) >= 11
    assert len(found) == 16


def test_of_forwards_only_what_stands_above_commands_and_all_of_it() -> None:
    forwards = rows(FORWARDED_MAILS)
    texts = [row["body"].replace("\r\n", "\n") for row in forwards]
    found = [
        (
            row["id"],
            command_of(MailBody(plain=text), MailContext(row["subject"] or "Fwd: x", answers=False)),
            above(text),
        )
        for row, text in zip(forwards, texts, strict=True)
    ]
    assert judged("forwards", found) == len(found)


def test_of_forwards_as_they_come_by_mail_too() -> None:
    mails = [row for row in rows(MAILS / "index.jsonl") if row["category"] == "forward"]
    read = [(row["file"], parse_mail((MAILS / row["file"]).read_bytes())[0]) for row in mails]
    assert judged("forwards by mail", [(key, mail.command, above(mail.text)) for key, mail in read]) == len(read)


def test_no_mail_of_the_corpus_commands_with_what_is_not_shown_as_its_senders() -> None:
    for row in rows(MAILS / "index.jsonl"):
        mail, _ = parse_mail((MAILS / row["file"]).read_bytes())
        assert "".join(mail.words.split()).startswith("".join(mail.command.split())), row["file"]
