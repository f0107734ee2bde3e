"""What becomes of a mail to the butler: a note, a notice, or nothing; never an act."""

from datetime import timedelta

import pytest

from butler.contract.inbound import InboundKind
from butler.store.queries import inbox
from butler.store.queries.inbox import InboxState
from tests.orchestrator.builders import NOON, mail
from tests.orchestrator.harness import Harness


async def test_a_mail_that_the_butler_wrote_itself_is_no_news(harness: Harness) -> None:
    payload = {"subject": "Re: Dinner", "own": True}
    item = await harness.come_in(mail("Hello.", sender="mail:butler@home.example", payload=payload))
    await harness.run()
    assert harness.phone.said == []
    assert await harness.store.read(lambda c: inbox.state(c, item.inbound_id)) is InboxState.DONE


async def test_a_mail_of_another_butler_is_somebodys_mail(harness: Harness) -> None:
    await harness.come_in(mail("Hello.", sender="mail:alfred@manor.example", payload={"subject": "Tea", "own": True}))
    await harness.run()
    assert len(harness.phone.said) == 1
    assert harness.outputs() == []


async def test_a_mail_that_cannot_be_read_is_told_once_and_kept(harness: Harness) -> None:
    item = await harness.come_in(mail("", payload={"quarantine": ["it is larger than 25 MB"]}))
    await harness.run()
    await harness.handlers["inbound"](item.inbound_id)
    await harness.run()
    (said,) = harness.phone.said
    assert "it is larger than 25 MB" in said
    assert f"butler mail retry {item.inbound_id}" in said
    assert await harness.store.read(lambda c: inbox.state(c, item.inbound_id)) is InboxState.QUARANTINED


async def test_before_anybody_is_paired_a_mail_is_stored_and_nobody_told(harness: Harness) -> None:
    harness.phone.home = lambda: None  # type: ignore[method-assign]
    item = await harness.come_in(mail("Hello."))
    await harness.run()
    assert harness.phone.said == []
    assert await harness.store.read(lambda c: inbox.state(c, item.inbound_id)) is InboxState.IGNORED


async def test_a_mail_that_came_before_the_pairing_is_told_once_after_it(harness: Harness) -> None:
    home = harness.phone.home
    harness.phone.home = lambda: None  # type: ignore[method-assign]
    await harness.come_in(mail("Hello."))
    old = {"inbound_id": "old", "dedup_key": "old", "received_at": NOON - timedelta(days=3)}
    await harness.come_in(mail("News of last week.", **old))
    await harness.run()
    harness.phone.home = home  # type: ignore[method-assign]
    for _ in range(2):
        await harness.say("/start", kind=InboundKind.COMMAND, payload={"name": "start"})
    assert len([said for said in harness.phone.said if "Hello." in said]) == 1
    assert not [said for said in harness.phone.said if "last week" in said]


async def test_sm_02_a_mail_from_the_butlers_own_address_is_answered_by_nobody(harness: Harness) -> None:
    payload = {"subject": "Re: Dinner", "own": True}
    await harness.come_in(mail("Hello.", sender="mail:butler@home.example", payload=payload))
    await harness.run()
    assert harness.outputs() == []
    assert harness.phone.said == []


@pytest.mark.parametrize(
    "payload",
    [
        {"auto_submitted": "auto-replied"},
        {"precedence": "bulk"},
        {"list_id": "<news.shop.example>"},
        {"from": "mailer-daemon@mx.example"},
        {"from": "noreply@shop.example"},
    ],
    ids=lambda payload: next(iter(payload)),
)
async def test_sm_03_mail_of_machines_is_told_to_the_owner_and_answered_by_nobody(
    harness: Harness, payload: dict[str, str]
) -> None:
    await harness.come_in(
        mail("I am away.", sender="mail:noreply@shop.example", payload={"subject": "Away", **payload})
    )
    await harness.run()
    assert harness.outputs() == []
    assert len(harness.phone.said) == 1


async def test_sm_04_a_responder_that_answers_under_ever_new_names_gets_no_answer_at_all(harness: Harness) -> None:
    for number in range(12):
        name = f"duel-{number}"
        payload = {"subject": f"Ticket {number}", "auto_submitted": "no"}
        values = {"inbound_id": name, "dedup_key": name, "sender": f"mail:{name}@desk.example", "payload": payload}
        await harness.come_in(mail("We got your mail.", **values))
        await harness.run()
    assert harness.outputs() == []
    assert len(harness.phone.said) == 12


async def test_im_37_nothing_of_an_answer_is_cut_off_where_a_line_looks_like_a_quotation(harness: Harness) -> None:
    text = "Here they are:\n- the blue one\n- the green one\n--\nAnd the bill: 12 EUR\nRegards: see below\nlast line"
    await harness.come_in(mail(text))
    await harness.run()
    (said,) = harness.phone.said
    for line in text.splitlines():
        assert line in said
