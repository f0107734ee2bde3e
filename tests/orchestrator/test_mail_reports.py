"""Reports about the butler's own mails, and the settings' answers to a sender."""

from typing import Any

from butler.contract.inbound import Inbound
from butler.contract.mail import MailFacts, MailKind, ReportFacts
from butler.contract.names import Identity
from butler.store.queries import approvals, audit, contacts, inbox
from butler.store.queries.inbox import InboxState
from tests.orchestrator.house import MAIL, House, planned, step
from tests.orchestrator.mails import from_others, owners

BOT_MAIL, BOT_REPLY = "bot_email_send_message", "bot_email_reply_to_thread"
DAEMON = "mailer-daemon@mx.example"
WHY = "smtp; 550 5.1.1 No such user"


async def sent_token(house: House) -> str:
    """The butler sends Anna a mail; the token of the attempt."""
    to = [{"contact": await house.contact("Anna")}]
    await house.say("mail Anna", planned(step(1, BOT_MAIL, to=to, subject="Dinner", body="At eight")))
    (call,) = house.outputs()
    return call.token


def report(token: str, action: str = "failed", number: int = 1, **more: Any) -> Inbound:
    facts = ReportFacts(
        action=action,
        recipient="anna@friends.example",
        status="5.1.1",
        diagnostic=more.pop("diagnostic", WHY),
        message_id=f"<{token}@{more.pop('domain', 'home.example')}>",
    )
    name = f"report-{number}"
    return from_others(
        "Your message did not arrive.",
        DAEMON,
        inbound_id=name,
        dedup_key=name,
        facts={"kind": MailKind.BOUNCE, "reports": (facts,), "answerable": False},
    )


async def test_a_mail_that_did_not_arrive_is_told_with_what_it_was_and_why(house: House) -> None:
    token = await sent_token(house)
    await house.come_in(report(token))
    await house.run()
    told = house.phone.said[-1]
    assert told.startswith(f"📭 My mail to anna@friends.example did not arrive: {WHY}.")
    assert "Sends a mail from the butler's own address" in told
    assert "At eight" in told
    row = await house.store.read(lambda c: approvals.by_token(c, token))
    assert row is not None
    rows = await house.store.read(lambda c: audit.rows(c, row.approval_id))
    assert [one.data["recipient"] for one in rows if one.kind == "mail.bounced"] == ["anna@friends.example"]


async def test_a_delay_is_told_once_and_the_failure_after_it_as_well(house: House) -> None:
    token = await sent_token(house)
    before = len(house.phone.said)
    for number, action in enumerate(("delayed", "delayed", "failed", "failed")):
        await house.come_in(report(token, action, number))
        await house.run()
    assert [said.split(":")[0] for said in house.phone.said[before:]] == [
        "⏳ My mail to anna@friends.example is still on its way",
        "📭 My mail to anna@friends.example did not arrive",
    ]


async def test_a_report_that_all_is_well_is_not_told(house: House) -> None:
    token = await sent_token(house)
    before = len(house.phone.said)
    await house.come_in(report(token, "delivered"))
    await house.run()
    assert len(house.phone.said) == before


async def test_a_report_about_a_mail_that_is_not_ours_is_told_as_a_returned_mail(house: House) -> None:
    token = await sent_token(house)
    for number, item in enumerate((report("1234", number=1), report(token, number=2, domain="evil.example"))):
        await house.come_in(item)
        await house.run()
        assert house.phone.said[-1].startswith("✉️ Returned mail to me from"), number
    rows = await house.store.read(lambda c: audit.rows(c, limit=1000))
    assert "mail.bounced" not in [one.kind for one in rows]


async def test_what_a_report_says_cannot_hide_or_flood(house: House) -> None:
    token = await sent_token(house)
    await house.come_in(report(token, diagnostic="\u202eevil\n" * 5_000))
    await house.run()
    assert "\u202e" not in house.phone.said[-1]
    assert len(house.phone.said[-1]) < 800


async def test_nobody_is_answered_when_a_mail_comes_back(house: House) -> None:
    token = await sent_token(house)
    await house.come_in(report(token))
    await house.run()
    assert len(house.outputs()) == 1
    assert house.second.answers == []


async def sent_as_owner(house: House) -> str:
    """A mail leaves as the owner, to Anna, after their yes; the token of the attempt."""
    to = [{"contact": await house.contact("Anna")}]
    await house.say("mail Anna", planned(step(1, MAIL, to=to, subject="Dinner", body="At eight")))
    await house.tap("Approve")
    (call,) = house.outputs()
    return call.token


def in_own_mailbox(item: Inbound, mark: str = "") -> Inbound:
    """The same report as it comes into the mailbox of the owner's own account."""
    assert item.mail is not None
    reports = tuple(one.model_copy(update={"mark": mark}) for one in item.mail.reports)
    return item.model_copy(
        update={
            "identity": Identity.USER,
            "account": "main",
            "text": "",
            "segments": (),
            "mail": MailFacts(kind=MailKind.BOUNCE, reports=reports, answerable=False),
        }
    )


async def test_a_mail_of_the_owners_that_did_not_arrive_is_told_once(house: House) -> None:
    token = await sent_as_owner(house)
    await house.come_in(in_own_mailbox(report(token, number=1)))
    await house.run()
    before = len(house.phone.said)
    told = house.phone.said[-1]
    assert told.startswith(f"📭 Your mail to anna@friends.example did not arrive: {WHY}.")
    assert "At eight" in told
    # By another Message-ID, as Gmail may give it one, and once more.
    await house.come_in(in_own_mailbox(report("another", number=2, domain="mail.gmail.example"), mark=token))
    await house.run()
    assert len(house.phone.said) == before
    rows = await house.store.read(lambda c: audit.rows(c, limit=1000))
    assert [one.data["recipient"] for one in rows if one.kind == "mail.bounced"] == ["anna@friends.example"]


async def test_a_mail_of_the_owners_is_known_by_its_mark(house: House) -> None:
    token = await sent_as_owner(house)
    await house.come_in(in_own_mailbox(report("another", domain="mail.gmail.example"), mark=token))
    await house.run()
    assert house.phone.said[-1].startswith("📭 Your mail to anna@friends.example did not arrive")


async def test_what_else_comes_from_the_owners_mailbox_is_left_alone(house: House) -> None:
    own = await sent_token(house)
    before, calls = len(house.phone.said), len(house.calls)
    items = [
        in_own_mailbox(report("1234", number=1)),
        in_own_mailbox(report("", number=2)),
        # A mail of the butler's comes back to the butler.
        in_own_mailbox(report(own, number=3)),
        # Whatever it says, and whoever it seems to be proved by, it is no request.
        in_own_mailbox(owners("tell Anna that I come")).model_copy(update={"text": "tell Anna that I come"}),
    ]
    for item in items:
        await house.come_in(item)
        await house.run()
        found = await house.store.read(lambda c, item=item: inbox.get(c, item.inbound_id))
        assert found is not None
        assert found[1] is InboxState.IGNORED
    assert (len(house.phone.said), len(house.calls)) == (before, calls)
    assert house.second.answers == []


def standing(**more: Any) -> Inbound:
    return from_others("Are you there?", facts={"standing_answer": "We are away until May."}, **more)


async def test_the_settings_answer_goes_once_to_a_sender_who_is_known(house: House) -> None:
    item = await house.come_in(standing())
    await house.run()
    await house.handlers["inbound"](item.inbound_id)
    await house.run()
    (sent,) = house.outputs()
    assert sent.tool == BOT_REPLY
    assert (sent.args.message_id, sent.args.body) == (item.inbound_id, "We are away until May.")
    assert [to.address for to in sent.args.to] == ["mail:anna@friends.example"]
    assert "I answer it with what your settings have" in house.phone.said[-1]
    assert [card.title for card in house.phone.cards.values()] == ["For your information"]


async def test_the_settings_answer_to_somebody_who_is_no_contact_asks_first(house: House) -> None:
    anna = await house.contact("Anna")
    assert "mail:anna@friends.example" in await house.store.read(lambda c: contacts.addresses_of(c, anna))
    await house.come_in(standing(sender="mail:zoe@elsewhere.example"))
    await house.run()
    assert house.outputs() == []
    assert "whether it goes out, I ask you" in house.phone.said[-1]
    assert len(house.phone.cards) == 1


async def test_a_mail_without_an_answer_in_the_settings_gets_none(house: House) -> None:
    await house.come_in(from_others("Are you there?"))
    await house.run()
    assert house.outputs() == []
