"""The conditions of automations: what they leave out, and how a card says them."""

from typing import Any

import pytest

from butler.contract.condition_words import condition_words
from butler.contract.events import FACTS, Compare, Condition, EventFilter, EventName, FactType, misfit
from butler.contract.speech import speaking
from config.language import OwnerLanguage
from tests.automations.world import happened

SHOPS = ["greenleaf.example", "books.example"]
VALUES: dict[FactType, Any] = {FactType.TEXT: "x", FactType.NAME: "x", FactType.NUMBER: 2, FactType.FLAG: True}


@pytest.mark.parametrize(
    ("fact", "compare", "value", "said"),
    [
        ("domain", "none_of", SHOPS, "the sender's domain is none of “greenleaf.example” and “books.example”"),
        ("sender", "not_ends_with", "@books.example", "the sender's address does not end with “@books.example”"),
        ("sender", "not_starts_with", "mail:shop@", "the sender's address does not begin with “mail:shop@”"),
        ("sender_name", "lacks", "books", "the sender's name does not contain “books”"),
    ],
)
def test_mails_from_the_shops_are_left_out_and_the_card_says_so(fact: str, compare: str, value: Any, said: str) -> None:
    one = Condition(fact=fact, compare=Compare(compare), value=value)
    no_shop = EventFilter(event=EventName.MAIL_RECEIVED, where=(one,))
    shop: dict[str, Any] = {"sender": "mail:shop@Books.example", "sender_name": "The Books", "domain": "Books.example"}
    friend: dict[str, Any] = {"sender": "mail:anna@friends.example", "sender_name": "Anna", "domain": "friends.example"}
    assert not no_shop.matches(happened(**shop))
    assert no_shop.matches(happened(**friend))
    assert condition_words(one) == said


@pytest.mark.parametrize("compare", [Compare.ANY_OF, Compare.NONE_OF])
def test_several_values_go_only_with_comparisons_of_several(compare: Compare) -> None:
    assert misfit(EventName.MAIL_RECEIVED, Condition(fact="domain", compare=compare, value="books.example"))
    assert misfit(EventName.MAIL_RECEIVED, Condition(fact="domain", compare=Compare.IS_NOT, value=("a", "b")))
    assert not misfit(EventName.MAIL_RECEIVED, Condition(fact="domain", compare=compare, value=("a", "b")))


@pytest.mark.parametrize(("event", "fact"), [(event, fact) for event, facts in FACTS.items() for fact in facts])
@pytest.mark.parametrize("language", OwnerLanguage)
def test_no_fact_is_shown_by_its_name_in_the_code(language: OwnerLanguage, event: EventName, fact: str) -> None:
    one = Condition(fact=fact, value=VALUES[FACTS[event][fact].type])
    with speaking(language):
        words = condition_words(one)
    assert "_" not in words
    assert not words.startswith(f"{fact} ")
