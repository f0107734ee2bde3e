"""The script language: each step as written, and what is wrong said with its line."""

from datetime import timedelta
from pathlib import Path

import pytest

from butler_demo.script import (
    Advance,
    ExpectBot,
    ExpectMail,
    ExpectNothing,
    ExpectPending,
    ExpectSent,
    Kill,
    MailForward,
    MailFrom,
    MailRaw,
    MailReply,
    Reply,
    Say,
    ScriptError,
    Start,
    Tap,
    Telegram,
    Which,
    Written,
    parse_script,
)

SAMPLE = """
say "tell Anna on Telegram that I'll be ten minutes late"
expect bot "Anna" "ten minutes late"          # a new or edited message of the bot holds all of these
tap "Approve"                                 # on the newest message that has such a button
expect sent telegram "Anna" "ten minutes late"    # exactly once
reply "make it twenty minutes"
mail from "me@home.example" subject "Fwd: Invoice" body "please pay this by Friday"
expect mail to "anna@friends.example" "..."
expect nothing within 5
kill
start
advance 2h
expect pending 0
"""


def test_the_published_sample_is_read_step_by_step() -> None:
    lines = parse_script(SAMPLE)
    assert [line.step for line in lines] == [
        Say("tell Anna on Telegram that I'll be ten minutes late"),
        ExpectBot(("Anna", "ten minutes late")),
        Tap("Approve"),
        ExpectSent(("Anna", "ten minutes late")),
        Reply("make it twenty minutes"),
        MailFrom("me@home.example", "Fwd: Invoice", "please pay this by Friday"),
        ExpectMail("anna@friends.example", ("...",)),
        ExpectNothing(5),
        Kill(),
        Start(),
        Advance(timedelta(hours=2)),
        ExpectPending(0),
    ]
    assert [line.number for line in lines] == list(range(2, 14))


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ('tap "Approve" as 666', Tap("Approve", by=666)),
        ('tap "Approve" again', Tap("Approve", which=Which.AGAIN)),
        ('tap stale "Approve"', Tap("Approve", which=Which.STALE)),
        ('tap stale "Approve" as 666', Tap("Approve", by=666, which=Which.STALE)),
        ('reply to "half past" "and what now?"', Reply("and what now?", to="half past")),
        ('mail reply "yes CODE"', MailReply("yes CODE")),
        ('mail from "a@b.example" subject "S" body "B" forged', MailFrom("a@b.example", "S", "B", forged=True)),
        ('mail forward "Invoice"', MailForward("Invoice")),
        ('mail forward "Invoice" "pay this"', MailForward("Invoice", "pay this")),
        ('mail reply "yes CODE" forged', MailReply("yes CODE", forged=True)),
        ("telegram down", Telegram(up=False)),
        ("telegram up", Telegram(up=True)),
        ('telegram from "Mum" "Ring me"', Written("Mum", "Ring me")),
        ('telegram from "Mum" in "Family" "Ring me"', Written("Mum", "Ring me", "Family")),
        ('expect bot "late" within 45', ExpectBot(("late",), 45)),
        ('expect mail to "a@b.example" within 2.5', ExpectMail("a@b.example", (), 2.5)),
        ("expect pending 3 within 60s", ExpectPending(3, 60)),
        ("advance 90s", Advance(timedelta(seconds=90))),
        ('expect bot "#5"', ExpectBot(("#5",))),
        ("expect photo within 45", ExpectBot((), 45, photo=True)),
    ],
)
def test_every_form_of_a_step_is_understood(line: str, step: object) -> None:
    assert [read.step for read in parse_script(line)] == [step]


def test_files_are_found_beside_the_script(tmp_path: Path) -> None:
    (tmp_path / "bill.pdf").write_bytes(b"%PDF")
    (tmp_path / "odd.eml").write_bytes(b"From: x\n\n")
    lines = parse_script(
        'mail from "a@b.example" subject "S" body "B" file bill.pdf\nmail raw odd.eml\n'
        'say "what is due?" file bill.pdf\nsay file bill.pdf',
        tmp_path,
    )
    assert [line.step for line in lines] == [
        MailFrom("a@b.example", "S", "B", tmp_path / "bill.pdf"),
        MailRaw(tmp_path / "odd.eml"),
        Say("what is due?", tmp_path / "bill.pdf"),
        Say("", tmp_path / "bill.pdf"),
    ]


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ('say "a"\nshout "b"', 'line 2: there is no step "shout"'),
        ("say", "line 1: say takes a text"),
        ('say "never closed', "line 1: No closing quotation"),
        ("\n\nexpect nothing", "line 3: write expect bot"),
        ("expect bot within 5", "line 1: write expect bot"),
        ("expect pending many", 'line 1: "many" is no whole number'),
        ("advance soon", "line 1: write a duration"),
        ("kill it", "line 1: kill stands alone"),
        ("telegram away", "line 1: write telegram down, telegram up or telegram from"),
        ("mail raw nowhere.eml", "line 1: there is no file"),
        ('tap "Approve" as Bob', 'line 1: "Bob" is no whole number'),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(script: str, sentence: str) -> None:
    with pytest.raises(ScriptError, match="^" + sentence.replace("(", r"\(")):
        parse_script(script)


def test_a_backslash_and_n_in_quotes_are_a_line_break():
    (line,) = parse_script(r'mail from a@b.example subject "Hi" body "Dear Jeeves,\n\npay this"')
    assert isinstance(line.step, MailFrom)
    assert line.step.body == "Dear Jeeves,\n\npay this"
