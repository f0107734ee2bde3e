"""A card distinguishes who wrote a value from who only brought the act about; both make it ask."""

from approvals.policy import Decision
from butler.contract.provenance import Origin
from tests.approvals.harness import Harness, card_text
from tests.approvals.providers import A_MAIL, ANNA, BOT_SEND, OWN_WORDS, SEND
from tests.approvals.reasons import words

BEGAN = frozenset(one.model_copy(update={"set_going": True}) for one in A_MAIL)
PLANNER = frozenset({Origin.butler("planner")})
WROTE, BEGUN = "the text comes from a mail by eve@evil.example", "a mail by eve@evil.example set it going"


async def test_the_owners_words_that_an_event_set_going_are_not_said_to_come_from_it(harness: Harness) -> None:
    origins = {"to": OWN_WORDS | BEGAN, "text": OWN_WORDS | BEGAN}
    verdict = await harness.request(SEND, origins=origins)
    assert BEGUN in words(verdict.reasons)
    assert not any("come" in reason for reason in words(verdict.reasons))


async def test_what_the_event_says_is_said_to_come_from_it(harness: Harness) -> None:
    for number, wrote in enumerate((A_MAIL | BEGAN, OWN_WORDS | A_MAIL | BEGAN, PLANNER | BEGAN, BEGAN)):
        verdict = await harness.request(SEND, origins={"to": OWN_WORDS, "text": wrote}, call_id=f"c{number}")
        assert WROTE in words(verdict.reasons)
        assert BEGUN not in words(verdict.reasons)


async def test_an_event_asks_where_the_owners_words_alone_would_pass(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    origins = {"to": OWN_WORDS | BEGAN, "text": OWN_WORDS | BEGAN}
    verdict = await harness.request(BOT_SEND, args={"to": [ANNA], "text": "x"}, origins=origins)
    assert verdict.decision is Decision.ASK
    await harness.run()
    text = card_text(harness.channel.newest)
    assert BEGUN in text
    assert "Drawn from" not in text
