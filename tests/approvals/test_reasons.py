"""Why a card asks is stored as a code with its values, and worded where it is shown."""

import json

import pytest

from approvals.reason_words import in_words
from butler.contract.reasons import Reason, ReasonCode, dump_reasons, in_own_words, load_reasons, reason
from butler.store.tables import approvals as table
from tests.approvals.house import House
from tests.approvals.providers import A_MAIL, ANNA, OWN_WORDS

VALUES = {
    "text": "as it was said", "command": "/resume", "tool": "user_*", "recipient": "mail:*", "count": 2, "limit": 1,
    "to": "anna@friends.example", "number": 3, "arguments": ["to", "text"], "sources": ["a mail"], "why": "text: short",
    "most": 1000, "signs": ["addressee"], "kinds": ["phone"],
}  # fmt: skip


@pytest.mark.parametrize("code", ReasonCode)
def test_every_code_has_its_words_and_comes_back_from_its_row(code: ReasonCode) -> None:
    one = Reason(code, VALUES)
    assert in_words(one).strip()
    assert "{" not in in_words(one)
    assert load_reasons(json.loads(json.dumps(dump_reasons([one])))) == (one,)


def test_what_is_counted_has_words_for_one() -> None:
    assert in_words(reason(ReasonCode.RULE_EXCEEDED, count=1, number=3, most=1000)) == (
        "there is 1, and your rule 3 is for 1,000 at most each time"
    )


async def test_a_row_holds_codes_and_no_sentence(house: House) -> None:
    approval_id = await house.ask(origins={"text": A_MAIL, "to": OWN_WORDS})
    (stored,) = await house.store.read(
        lambda c: c.execute(table.select().where(table.c.approval_id == approval_id)).mappings().all()
    )
    assert stored["reasons"] == [
        {"code": "acts_as_owner", "params": {}},
        {"code": "comes_from", "params": {"arguments": ["text"], "sources": ["a mail by eve@evil.example"]}},
        {"code": "stranger", "params": {}},
    ]


async def test_the_sentence_of_an_older_row_is_shown_as_it_is(house: House) -> None:
    await house.know("Anna", ANNA)
    approval_id = await house.ask(origins={"text": OWN_WORDS, "to": OWN_WORDS})
    await house.store.write(lambda c: c.execute(table.update().values(reasons=["the moon is full"])))
    row = await house.row(approval_id)
    assert row.reasons == (in_own_words("the moon is full"),)
    await house.tap("Approve")
    await house.after_undo_window()
    assert (await house.row(approval_id)).reasons == row.reasons
