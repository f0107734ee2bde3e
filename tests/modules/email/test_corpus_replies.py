"""Replies with quoted history of many programs: what is new in them is told exactly."""

from modules.email.parsing.parser import parse_mail
from modules.email.parsing.words import split
from tests.support.corpora import MAILS, REPLIES, rows

SHARE = 0.90


def test_what_is_new_in_a_reply_is_told_exactly_in_at_least_90_of_100() -> None:
    replies, wrong = rows(REPLIES), []
    for row in replies:
        words = split("Re: x", row["text"]).words
        if words != row["expected_reply"].strip("\n"):
            wrong.append(row["id"])
    print(f"{len(replies) - len(wrong)} of {len(replies)}; not as expected:", *wrong, sep="\n  ")
    # Two are told otherwise on purpose: a line that is marked as quoted is never the sender's own, and neither is what
    # follows "On ... wrote:" without being marked.
    assert 1 - len(wrong) / len(replies) >= SHARE, wrong


def test_replies_as_they_come_by_mail_are_told_too() -> None:
    mails = [row for row in rows(MAILS / "index.jsonl") if row["category"] == "reply" and "reply_text" in row["expect"]]
    wrong = []
    for row in mails:
        mail, _ = parse_mail((MAILS / row["file"]).read_bytes())
        if mail.words != row["expect"]["reply_text"].strip("\n") or not mail.quotes or mail.forwarded:
            wrong.append((row["file"], mail.words))
    print(f"{len(mails) - len(wrong)} of {len(mails)}; not as expected:", *wrong, sep="\n  ")
    assert 1 - len(wrong) / len(mails) >= SHARE, wrong
