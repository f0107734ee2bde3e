"""Only an authenticated mail of the owner decides a card, and only once."""
# names: made up here

import re
from typing import Any

import pytest

from approvals.email_fallback_answer import MOST_WRONG, MailAnswer, answer_in
from approvals.pin import set_pin
from approvals.states import State
from butler.contract.integration import Idempotency
from butler.store.queries.inbox import InboxNote, InboxState
from butler.store.store import Store
from butler.store.tables import buttons
from tests.approvals.email_fallback_harness import (
    ME,
    ME_TOO,
    answer,
    code_in,
    fallback,
    last_inbox,
    mails,
    noted,
    reply,
    silence,
    with_mail,
)
from tests.approvals.harness import Harness, card_text
from tests.approvals.providers import MAIL
from tests.approvals.second_channel import Killed


@pytest.fixture
async def harness(store: Store) -> Harness:
    return with_mail(Harness(store))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes ABCD-EFGH", MailAnswer("yes", "ABCDEFGH")),
        ("\n\n  Yes, abcd efgh.\n\n> no ABCD-EFGH", MailAnswer("yes", "ABCDEFGH")),
        ("*no* ABCD\u2013EFGH", MailAnswer("no", "ABCDEFGH")),
        ("NO: \u201cABCDEFGH\u201d\nSent from my phone", MailAnswer("no", "ABCDEFGH")),
        ("Ja ABCD-EFGH", MailAnswer("yes", "ABCDEFGH")),
        ("nein ABCD-EFGH.", MailAnswer("no", "ABCDEFGH")),
        ("oui ABCD-EFGH", MailAnswer("yes", "ABCDEFGH")),
        ("non ABCD-EFGH", MailAnswer("no", "ABCDEFGH")),
        ("SÍ ABCD-EFGH", MailAnswer("yes", "ABCDEFGH")),
        ("si\u0301 ABCD-EFGH", MailAnswer("yes", "ABCDEFGH")),
        ("neın ABCD-EFGH", None),
        ("ja ABCD-EFGH\naber erst morgen", None),
        ("ja ABCD-EFGH\nNur an Anna", None),
        ("oui ABCD-EFGH\nmais pas à Bob", None),
        ("oui ABCD-EFGH\nn’envoie rien", None),
        ("sí ABCD-EFGH\npero mañana", None),
        ("yes ABCD-EFGH but at five", None),
        ("yes, but ABCD-EFGH", None),
        ("yes", None),
        ("yesABCD-EFGH", None),
        ("yesABCD EFGH", None),
        ("> yes ABCD-EFGH", None),
        ("On Thursday Jeeves wrote:\n> yes ABCD-EFGH", None),
        ("Hello\nyes ABCD-EFGH", None),
        ("", None),
        ("yes " + " " * 5_000 + "ABCD-EFGH", None),
    ],
)
def test_an_answer_is_a_word_and_a_code_and_nothing_else(text: str, said: MailAnswer | None) -> None:
    assert answer_in(text) == said


async def test_a_yes_by_mail_is_carried_out_once_and_its_outcome_comes_by_mail(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    assert await answer(harness, f"Yes, {code.lower()}\n\n> no {code}")
    row = await harness.row(approval_id)
    assert (row.state, row.decided_by) == (State.APPROVED, f"mail:{ME}")
    assert await last_inbox(harness) == (InboxState.DONE, "")
    assert harness.provider.effects == []
    assert len(mails(harness)) == 1, "the undo window runs"
    await harness.after_undo_window()
    assert len(harness.provider.effects) == 1
    to, subject, text = mails(harness)[-1]
    assert (to, subject) == (ME, "Re: For your approval: Sends a message")
    assert re.match(r"Sends a message\n\nApproved by your mail at \S+ on 5 March 2026. Sent at ", text)
    (answered,) = await noted(harness, "fallback.answered")
    assert answered.actor == f"mail:{ME}"
    (approved,) = await noted(harness, "approval.approved")
    assert approved.actor == f"mail:{ME}"
    assert await answer(harness, f"yes {code}")
    assert "Nothing was decided by your mail. Approved by your mail at" in mails(harness)[-1][2]
    await silence(harness)
    assert len(harness.provider.effects) == 1
    assert len(mails(harness)) == 3


async def test_a_yes_by_mail_decides_on_every_database(lasting_harness: Harness) -> None:
    harness = with_mail(lasting_harness)
    approval_id, code = await fallback(harness)
    assert await answer(harness, f"no {'A' * 8}")
    assert await answer(harness, f"yes {code}")
    await harness.after_undo_window()
    assert await harness.state(approval_id) == State.DONE
    assert [subject for _, subject, _ in mails(harness)] == [
        "For your approval: Sends a message",
        "Re: Card",
        "Re: For your approval: Sends a message",
    ]


async def test_the_card_says_so_once_telegram_is_back(harness: Harness) -> None:
    await harness.ask(MAIL)
    await silence(harness)
    assert await answer(harness, f"yes {code_in(mails(harness)[-1][2])}")
    harness.channel.offline = False
    harness.clock.turn(minutes=1)
    await harness.run()
    assert re.search(r"Approved by your mail at \S+ on 5 March 2026. Sent at", card_text(harness.channel.newest))


async def test_a_no_by_mail_denies_and_says_so(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    assert await answer(harness, f"no {code}")
    assert await harness.state(approval_id) == State.DENIED
    assert mails(harness)[-1][2].startswith("Sends a message\n\nDenied by your mail at")
    assert len(mails(harness)) == 2


@pytest.mark.parametrize("state", ["failed", "unknown", "undone"])
async def test_what_did_not_work_is_told_by_mail_as_it_is(harness: Harness, state: str) -> None:
    harness.behave(Idempotency.NONE)
    _, code = await fallback(harness)
    if state == "failed":
        harness.provider.script = [Exception("x")]
        harness.provider.found = []
    if state == "undone":
        harness.channel.offline = False
        await answer(harness, f"yes {code}")
        harness.clock.turn(seconds=1)
        await harness.run()
        await harness.tap("Undo")
        assert "Undone at" in mails(harness)[-1][2]
        return
    await answer(harness, f"yes {code}")
    harness.provider.die = "" if state == "failed" else "before"
    if state == "unknown":
        with pytest.raises(Killed):
            await harness.after_undo_window()
        harness.restart()
        await harness.run()
    else:
        await harness.after_undo_window()
    assert "It is not known whether this was sent" in mails(harness)[-1][2]


async def test_a_crash_before_the_note_of_the_outcome_tells_it_twice_and_not_a_third_time(harness: Harness) -> None:
    assert harness.second is not None
    approval_id, code = await fallback(harness)
    harness.second.die = True
    with pytest.raises(Killed):
        await answer(harness, f"no {code}")
    harness.restart()
    await harness.run()
    await harness.approvals.handlers()["tell_outcome"](approval_id)
    assert [subject for _, subject, _ in mails(harness)[1:]] == ["Re: For your approval: Sends a message"] * 2


async def test_a_forged_answer_decides_nothing_and_is_answered_by_nobody(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    unproved: list[dict[str, Any]] = [{"authority": {"command": False, "why": ["no signature"]}}, {"authority": {}}]
    for payload in unproved:
        assert not await answer(harness, f"yes {code}", payload=payload)
    assert not await answer(
        harness, "yes of course", reply_to=f"<fallback-{approval_id}-1@butler.example>", payload=unproved[0]
    )
    assert not await answer(harness, f"yes {code}", sender="mail:eve@evil.example")
    assert await harness.state(approval_id) == State.PENDING
    assert len(mails(harness)) == 1
    assert {row.data["why"] for row in await noted(harness, "fallback.refused")} == {"answer_unproved"}
    assert await last_inbox(harness) == (InboxState.NEW, ""), "it goes on to the mail desk"


async def test_an_answer_without_an_authority_at_all_is_not_proved(harness: Harness) -> None:
    _, code = await fallback(harness)
    item = reply(harness, f"yes {code}")
    bare = item.model_copy(update={"payload": {}})
    assert not await harness.approvals.answer_by_mail(bare)


@pytest.mark.parametrize(
    "payload", [{"auto_submitted": "auto-replied"}, {"precedence": "bulk"}, {"list_id": "<x>"}, {"own": True}]
)
async def test_what_a_machine_sent_is_no_answer(harness: Harness, payload: dict[str, Any]) -> None:
    approval_id, code = await fallback(harness)
    assert not await answer(harness, f"yes {code}", payload=payload)
    assert await harness.state(approval_id) == State.PENDING
    assert len(mails(harness)) == 1


async def test_yes_but_decides_nothing_and_the_owner_is_told_why(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    thread = f"<fallback-{approval_id}-1@butler.example>"
    assert await answer(harness, f"yes {code}, but at five", reply_to=thread)
    assert await harness.state(approval_id) == State.PENDING
    to, subject, text = mails(harness)[-1]
    assert (to, subject) == (ME, "Re: Card")
    assert text.startswith("Nothing was decided by your mail. Your first line has to be yes or no")
    assert len(mails(harness)) == 2


async def test_any_other_mail_of_the_owners_goes_on_to_the_mail_desk(harness: Harness) -> None:
    await fallback(harness)
    assert not await answer(harness, "yes please, remind me of lunch", reply_to="<other@home.example>")
    assert not await answer(harness, "Please remind me")
    assert len(mails(harness)) == 1
    assert await noted(harness, "fallback.refused") == []


async def test_a_code_counts_only_from_the_address_that_it_was_sent_to(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    assert await answer(harness, f"yes {code}", sender=f"mail:{ME_TOO}")
    assert await harness.state(approval_id) == State.PENDING
    assert mails(harness)[-1][0] == ME_TOO
    assert "another address of yours" in mails(harness)[-1][2]


async def test_a_forwarder_that_vouches_is_not_enough_for_a_yes(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    sealed = {"authority": {"command": True, "why": ["fwd.example vouches for it"], "sealed_by": "fwd.example"}}
    assert await answer(harness, f"yes {code}", payload=sealed)
    assert await harness.state(approval_id) == State.PENDING
    assert "A forwarder vouches for your mail" in mails(harness)[-1][2]


async def test_a_code_of_an_earlier_owner_is_unknown(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    harness.owner.telegram_user_id = 43
    assert await answer(harness, f"yes {code}")
    assert "I do not know this code" in mails(harness)[-1][2]
    assert await harness.state(approval_id) == State.PENDING


async def test_a_telegram_buttons_nonce_is_no_code(harness: Harness) -> None:
    _, code = await fallback(harness)
    await harness.write(lambda c: c.execute(buttons.update().values(kind="approval")))
    assert await answer(harness, f"yes {code}")
    assert "I do not know this code" in mails(harness)[-1][2]


async def test_a_code_whose_approval_is_gone_decides_nothing(harness: Harness) -> None:
    _, code = await fallback(harness)
    await harness.write(lambda c: c.execute(buttons.update().values(subject="gone")))
    assert await answer(harness, f"yes {code}")
    assert "newer version" in mails(harness)[-1][2]


async def test_five_wrong_codes_a_day_close_the_way_until_tomorrow(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    for _ in range(MOST_WRONG):
        assert await answer(harness, "yes AAAA-AAAA")
    assert "last try for today" in mails(harness)[-1][2]
    sent = len(mails(harness))
    assert await answer(harness, f"yes {code}")
    assert await harness.state(approval_id) == State.PENDING
    assert await last_inbox(harness) == (InboxState.IGNORED, InboxNote.TOO_MANY_CODES)
    assert len(mails(harness)) == sent
    assert "5 wrong codes came by mail from me@home.example. I take no more of it today." in (await harness.said())[-1]
    assert not [line for line in (await harness.said())[:-1] if "wrong codes" in line]
    harness.clock.turn(hours=12)
    assert await answer(harness, f"yes {code}")
    assert await harness.state(approval_id) == State.APPROVED


async def test_wrong_codes_are_told_by_mail_alone_before_pairing_has_a_chat(harness: Harness) -> None:
    harness.channel.home_chat = None
    for _ in range(MOST_WRONG):
        await answer(harness, "no AAAA-AAAA")
    assert await harness.said() == []


async def test_an_answer_after_its_time_is_told_what_became_of_it(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    harness.clock.turn(hours=48)
    assert await answer(harness, f"yes {code}")
    assert await harness.state(approval_id) == State.EXPIRED
    assert "Nothing was decided by your mail. Expired at" in mails(harness)[-1][2]


async def test_what_takes_a_pin_can_only_be_denied_by_mail(harness: Harness) -> None:
    await harness.write(lambda c: set_pin(c, "4711", "owner", harness.clock.now()))
    approval_id, code = await fallback(harness, args={"to": ["mail:eve@evil.example"], "text": "Hello"})
    text = mails(harness)[-1][2]
    assert "This takes your PIN, so it cannot be approved by mail" in text
    assert f"yes {code}" not in text
    assert await answer(harness, f"yes {code}")
    assert await harness.state(approval_id) == State.PENDING
    assert await answer(harness, f"no {code}")
    assert await harness.state(approval_id) == State.DENIED


async def test_a_pin_that_was_set_later_holds_a_yes_by_mail_too(harness: Harness) -> None:
    approval_id, code = await fallback(harness, args={"to": ["mail:eve@evil.example"], "text": "Hello"})
    await harness.write(lambda c: set_pin(c, "4711", "owner", harness.clock.now()))
    assert await answer(harness, f"yes {code}")
    assert await harness.state(approval_id) == State.PENDING
    assert "PIN" in mails(harness)[-1][2]


async def test_a_refusal_whose_mail_is_gone_is_not_told(harness: Harness) -> None:
    await harness.approvals.handlers()["tell_refusal"]("nothing")
    assert mails(harness) == []
