"""Which mails may get an automatic answer: a person's, never a machine's, a list's, nobody's or the butler's own."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler.contract.mail import MailKind
from butler.contract.tools import Recipient
from modules.email.answerable import MOST_HOPS, why_never_answered, why_of_no_person
from modules.email.parsing.parsed import Address, Event, ParsedMail, Report
from modules.email.parsing.parser import parse_mail
from modules.email.smtp.compose import Draft, Parent, compose
from tests.support.corpora import MAILS, rows
from tests.support.nightly import examples
from tests.support.worded import worded

OWN = "butler@inbox.example"
ANNA = ParsedMail(
    subject="Lunch?",
    sender=Address("anna@friends.example", "Anna"),
    to=(Address(OWN),),
    message_id="<a@friends.example>",
)

DRAFT = Draft(
    sender=OWN,
    token="4611686018427387904",
    date=datetime.now(UTC),
    to=(Recipient(address="mail:jeeves@home.example"),),
    subject="Lunch",
    body="Hello",
)
UNREAD = (
    *("noreply", "no-reply", "no_reply", "no.reply", "noreply+tag", "no-reply-42", "account-noreply"),
    *("donotreply", "do-not-reply", "DO_NOT_REPLY", "nicht-antworten", "keine-antwort", "ne-pas-repondre"),
    *("nepasrepondre", "no-responder", "no-contestar", "nao-responda", "naoresponder", "non-rispondere"),
    *("niet-beantwoorden", "geen-antwoord", "svara-inte", "svar-ikke", "ei-vastausta", "nie-odpowiadaj"),
    *("bez-odpowiedzi", "neodpovidat", "ne-valaszolj", "nu-raspunde", "yanitlamayin", "ne-otvechat"),
    *("mailer-daemon", "MAILER-DAEMON", "postmaster", "bounce", "bounces", "bounce+123", "bounces-42=x"),
    *("owner-friends", "friends-owner", "friends-request", "friends-bounces", "listserv", "majordomo", "mailman"),
    *("autoreply", "auto-responder", "notifications", "notify", "nobody", "cron", "unattended"),
)
READ = (
    *("anna", "info", "hello", "support", "sales", "bob.reply", "replyall", "antwort", "bouncer", "nora.reply"),
    *("ownership", "norbert", "daemonique", "root-and-branch", "alerted", "news.desk", "requests", "anna-maria"),
    *("o.request", "postman", "norep"),
)


def why(**changes: Any) -> str:
    return worded(why_never_answered(replace(ANNA, **changes), OWN))


def read(*headers: str) -> ParsedMail:
    """The mail as it is parsed, with these headers put before its own."""
    lines = ("From: anna@friends.example", f"To: {OWN}", "Subject: Hi", "Message-ID: <a@friends.example>")
    return parse_mail("\r\n".join((*headers, *lines, "", "Hello")).encode())[0]


def test_a_persons_mail_may_be_answered() -> None:
    assert why() == ""
    assert why(in_reply_to="<x@y.example>", references=("<x@y.example>",), kind="reply", precedence="normal") == ""
    assert why(return_path="anna@friends.example", auto_submitted="no", hops=12, media_type="multipart/mixed") == ""
    assert why(reply_to=(Address("anna@elsewhere.example"),)) == ""
    assert why(event=Event(method="REQUEST", uid="1")) == ""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"sender": None}, "has no sender that can be read"),
        ({"auto_submitted": "auto-replied"}, "says that a machine sent it"),
        ({"auto_submitted": "Auto-Generated; owner-email=x@y.example"}, "says that a machine sent it"),
        ({"auto_submitted": "auto-notified (comment)"}, "says that a machine sent it"),
        ({"auto_submitted": "whatever"}, "says that a machine sent it"),
        ({"precedence": "bulk"}, "says that it was sent to many"),
        ({"precedence": "Junk"}, "says that it was sent to many"),
        ({"precedence": "list"}, "says that it was sent to many"),
        ({"precedence": "auto_reply"}, "says that it was sent to many"),
        ({"list_id": "Friends <friends.example>"}, "came over a mailing list"),
        ({"list_unsubscribe": ("https://x.example/u",)}, "offers to be unsubscribed from"),
        ({"return_path": ""}, "has no return path"),
        ({"return_path": "friends-bounces@lists.example"}, "friends-bounces@lists.example, where no person reads"),
        ({"reply_to": (Address("no-reply@friends.example"),)}, "no-reply@friends.example, where no person reads"),
        ({"media_type": "multipart/report; report-type=delivery-status"}, "is a report"),
        ({"media_type": "multipart/report; report-type=disposition-notification"}, "is a report"),
        ({"media_type": "multipart/report; report-type=feedback-report"}, "is a report"),
        ({"media_type": "message/delivery-status"}, "is a report"),
        ({"reports": (Report("failed", "x@y.example"),)}, "is a report"),
        ({"kind": "bounce"}, "says what became of another mail"),
        ({"kind": "report"}, "is a report"),
        ({"kind": "automatic"}, "was sent by a machine"),
        ({"kind": "list"}, "came over a mailing list"),
        ({"kind": "newsletter"}, "is a newsletter"),
        ({"hops": MOST_HOPS + 1}, "passed 26 servers"),
        ({"event": Event(method="REPLY", uid="1")}, "was written by a calendar"),
        ({"event": Event(method="counter", uid="1")}, "was written by a calendar"),
        ({"butler_mark": "bot"}, "was sent by a butler"),
        ({"marks": ("x-auto-response-suppress: oof, autoreply",)}, "asks for no automatic answer"),
        ({"marks": ("x-autoreply: yes",)}, "bears the mark of a machine, X-Autoreply"),
        ({"marks": ("x-autorespond: lunch",)}, "bears the mark of a machine, X-Autorespond"),
        ({"marks": ("x-loop: anna@friends.example",)}, "bears the mark of a machine, X-Loop"),
        ({"marks": ("x-precedence: bulk",)}, "bears the mark of a machine, X-Precedence"),
        ({"marks": ("feedback-id: 1:esp",), "precedence": "bulk"}, "says that it was sent to many"),
    ],
)  # fmt: skip
def test_sm_03_what_no_person_sent_is_never_answered(changes: dict[str, Any], told: str) -> None:
    assert told in why(**changes)


@pytest.mark.parametrize(
    "marks",
    [
        ("feedback-id: 1:esp",),
        ("x-auto-response-suppress: none",),
        ("x-precedence: normal",),
        ("x-auto-submitted: no",),
    ],
)
def test_a_mark_that_says_nothing_does_not_count(marks: tuple[str, ...]) -> None:
    assert why(marks=marks) == ""


@pytest.mark.parametrize(
    "header",
    [
        "Auto-Submitted: auto-replied", "Auto-Submitted: auto-generated", "Precedence: bulk", "Precedence: junk",
        "Precedence: list", "List-Id: <friends.example>", "List-Unsubscribe: <https://x.example/u>",
        "List-Unsubscribe: <http://10.0.0.1/u>", "List-Post: NO", "Return-Path: <>", "X-Butler: bot",
        "X-Auto-Response-Suppress: All", "X-Autoreply: yes", "X-Autorespond: lunch", "X-Loop: x@y.example",
        "X-Failed-Recipients: x@y.example", "X-Mailing-List: <x@y.example>", "X-MLServer: fml 4.0",
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b", "From: carol@friends.example",
    ],
)  # fmt: skip
def test_sm_03_each_header_of_a_machine_is_seen_in_a_mail(header: str) -> None:
    assert why_never_answered(read(), OWN) is None
    assert why_never_answered(read(header), OWN)


@pytest.mark.parametrize(
    "local",
    UNREAD,
)
def test_sm_03_addresses_where_no_person_reads_are_known_in_many_languages(local: str) -> None:
    assert "where no person reads" in why(sender=Address(f"{local}@shop.example".lower()))


@pytest.mark.parametrize(
    "local",
    READ,
)
def test_addresses_of_people_are_no_machines(local: str) -> None:
    assert why(sender=Address(f"{local}@friends.example")) == ""


# Its own


@pytest.mark.parametrize("address", [OWN, "butler+7@inbox.example", "Butler@INBOX.example"])
def test_sm_02_a_mail_from_the_butlers_own_address_is_never_answered(address: str) -> None:
    assert why(sender=Address(address)) == "comes from the butler's own address"
    assert why(reply_to=(Address(address),)) == "comes from the butler's own address"


def test_sm_02_what_the_butler_sent_is_known_when_it_comes_back() -> None:
    for token in ("4611686018427387904", "a" * 40):
        draft = replace(DRAFT, token=token)
        mail, _ = parse_mail(compose(draft).wire)
        anyones = replace(mail, sender=ANNA.sender, reply_to=(), auto_submitted="", butler_mark="")
        assert why_never_answered(mail, OWN)
        assert worded(why_never_answered(anyones, OWN)) == "is one of the butler's own that came back"


def test_a_persons_mail_from_the_butlers_domain_is_not_its_own() -> None:
    assert why(message_id="<CAF=abc123@inbox.example>", sender=Address("me@inbox.example")) == ""


# What a person sent


def test_a_person_may_ask_for_no_answer_and_still_be_a_person() -> None:
    mail = replace(ANNA, marks=("x-auto-response-suppress: all",), reply_to=(Address("no-reply@friends.example"),))
    assert why_never_answered(mail, OWN)
    assert why_of_no_person(mail, OWN) is None
    assert why_of_no_person(replace(ANNA, auto_submitted="auto-replied"), OWN)


# The collected mails


MACHINES = {"dsn", "arf", "autoreply", "loop", "list", "report"}
PEOPLE = {"forward", "reply", "invite", "attachment_name", "tnef", "unicode", "markup", "html", "charset"}
MISSED = {
    "sisimai_lhost-fml-03.eml",
    "sisimai_rfc3834-03.eml",
}
"""An old list server and an old vacation program that name themselves by no header of common use."""


def test_sm_03_no_collected_mail_of_a_machine_may_be_answered() -> None:
    answered = [vector["file"] for vector in rows(MAILS / "index.jsonl") if not told(vector) and is_a_machines(vector)]
    assert {Path(file).name for file in answered} <= MISSED


def test_collected_mails_of_people_may_be_answered() -> None:
    refused = {v["file"]: told(v) for v in rows(MAILS / "index.jsonl") if v["category"] in PEOPLE and told(v)}
    assert refused == {}
    by_name = {Path(vector["file"]).name: vector for vector in rows(MAILS / "index.jsonl")}
    assert told(by_name["sisimai_is-not-bounce-01.eml"]) == ""


def told(vector: dict[str, Any]) -> str:
    mail, _ = parse_mail((MAILS / vector["file"]).read_bytes())
    return worded(why_never_answered(mail, OWN))


def is_a_machines(vector: dict[str, Any]) -> bool:
    expected, facts = vector["expect"], vector["facts"]
    return bool(expected.get("must_not_autoreply") or facts["machine_mail_headers"] or vector["category"] in MACHINES)


# Two machines that face each other


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_sm_04_two_machines_that_answer_each_other_stop_after_one_answer_each_in_a_thread(data: st.DataObject) -> None:
    """Each answers what it may, with whatever marks its program happens to set; a count holds when none is set."""
    mails = [ANNA]
    counts: dict[tuple[str, str], int] = {}
    while mails:
        mail = mails.pop()
        assert mail.sender is not None
        me = mail.to[0].address
        if why_never_answered(mail, me) or counts.get((me, mail.thread_root), 0) >= 1:
            continue
        counts[me, mail.thread_root] = counts.get((me, mail.thread_root), 0) + 1
        number = sum(counts.values())
        assert number <= 2, "each of two answered once"
        mails.append(answer_to(mail, me, data.draw(marks()), number))
    assert set(counts.values()) <= {1}


def marks() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "auto_submitted": st.sampled_from(["", "no", "auto-replied", "auto-generated"]),
            "precedence": st.sampled_from(["", "bulk", "normal"]),
            "butler_mark": st.sampled_from(["", "bot"]),
            "kind": st.sampled_from([kind.value for kind in MailKind]),
            "return_path": st.sampled_from([None, "", "anna@friends.example"]),
            "subject": st.text(max_size=20),
        },
    )


def answer_to(mail: ParsedMail, me: str, marked: dict[str, Any], number: int) -> ParsedMail:
    assert mail.sender is not None
    answer = ParsedMail(
        sender=Address(me),
        to=(mail.sender,),
        message_id=f"<answer-{number}@{me.rpartition('@')[2]}>",
        in_reply_to=mail.message_id,
        references=(*mail.references, mail.message_id),
    )
    return replace(answer, **marked)


def test_an_answer_of_the_butlers_is_never_answered_by_another_one() -> None:
    parent = Parent("<a@friends.example>", "", (), "Lunch?")
    draft = replace(DRAFT, parent=parent, automatic=True)
    mail, _ = parse_mail(compose(draft).wire)
    assert worded(why_never_answered(mail, "jeeves@home.example")) == "was sent by a butler"
    unmarked = replace(mail, butler_mark="")
    assert worded(why_never_answered(unmarked, "jeeves@home.example")) == "says that a machine sent it"
