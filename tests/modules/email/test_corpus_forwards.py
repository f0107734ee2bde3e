"""Forwards of many programs and languages: the inner sender and subject, and the words above, are told right."""

from modules.email.parsing.parser import parse_mail
from modules.email.parsing.words import split
from tests.support.corpora import FORWARDED_MAILS, MAILS, rows

SHARE = 0.95


def test_the_inner_sender_of_a_forward_is_told_in_at_least_95_of_100() -> None:
    forwards, wrong = rows(FORWARDED_MAILS), []
    for row in forwards:
        expected = row["expect"]
        # Where the corpus leaves the subject out, the program wrote the usual one.
        subject = row["subject"] if row["subject"] is not None else f"Fwd: {expected['subject']}"
        inner = split(subject, row["body"].replace("\r\n", "\n")).forwarded
        told = inner and inner.sender and (inner.sender.address, inner.sender.name, inner.subject)
        if told != (expected["from_address"], expected["from_name"], expected["subject"]):
            wrong.append((row["id"], told))
    print(f"{len(forwards) - len(wrong)} of {len(forwards)}; not as expected:", *wrong, sep="\n  ")
    # Three of them do not name the address at all; one is a reply, by its subject and by its form.
    assert 1 - len(wrong) / len(forwards) >= SHARE, wrong


def test_the_words_above_a_forward_are_kept_exactly() -> None:
    above = ("Praesent suscipit egestas hendrerit.\n\nAliquam eget dui dui.", "That's true!\n\nRegards,\n\ne.")
    for row in rows(FORWARDED_MAILS):
        text = row["body"].replace("\r\n", "\n")
        expected = next((words for words in above if text.startswith(words)), "")
        assert split(row["subject"] or "Fwd: x", text).words == expected, row["id"]


def test_the_inner_text_of_a_forward_is_there_without_the_marks_of_its_program() -> None:
    for row in rows(FORWARDED_MAILS):
        inner = split(row["subject"] or "Fwd: x", row["body"].replace("\r\n", "\n")).forwarded
        if inner is not None:
            assert inner.text.lstrip().startswith(("Aenean quis diam", "Unicum iter")), row["id"]


def test_forwards_as_they_come_by_mail_are_told_too() -> None:
    mails, wrong = [row for row in rows(MAILS / "index.jsonl") if row["category"] == "forward"], []
    for row in mails:
        mail, _ = parse_mail((MAILS / row["file"]).read_bytes())
        address = mail.forwarded and mail.forwarded.sender and mail.forwarded.sender.address
        if address != row["expect"]["forward_from"] or mail.kind != "forward":
            wrong.append((row["file"], address, mail.kind))
    print(f"{len(mails) - len(wrong)} of {len(mails)}; not as expected:", *wrong, sep="\n  ")
    assert 1 - len(wrong) / len(mails) >= SHARE, wrong


def test_an_inner_sender_is_only_text_whoever_it_claims_to_be() -> None:
    mail, _ = parse_mail((MAILS / "msg" / "forward_forged_inner.eml").read_bytes())
    assert mail.sender is not None
    assert mail.sender.address == "stranger@evil.example"
    assert mail.words == ""
    assert mail.forwarded is not None
    assert mail.forwarded.sender is not None
    assert mail.forwarded.sender.address == "owner@home.example"
