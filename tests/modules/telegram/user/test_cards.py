"""What a card says of a look into the person's conversations, and how a message is named in a call."""

from typing import Any

import pytest
from pydantic import ValidationError

from approvals.preview import left_out, preview_of
from butler.contract.mirror import ChatKind
from modules.telegram.user_called import Titled, called
from tests.modules.telegram.user.conftest import Harness, MakeHouse


@pytest.fixture
def harness(make_harness: MakeHouse) -> Harness:
    return make_harness(sessions={}, accounts={"work": {}})


@pytest.mark.parametrize(
    ("name", "args", "effect", "facts"),
    [
        ("list_dialogs", {}, "Lists the newest 20 conversations of your Telegram account", ()),
        (
            "list_dialogs",
            {"unread": True, "muted": True, "limit": 1},
            "Lists the newest unread conversation of your Telegram account, muted ones too",
            (),
        ),
        ("get_updates", {}, "Reads the newest 50 messages that others wrote to you on Telegram", ()),
        (
            "get_updates",
            {"unread": True, "muted": True, "since": "2026-03-04T09:30:00+00:00"},
            "Reads the newest 50 unread messages that others wrote to you on Telegram, in muted conversations too",
            (("Since", "2026-03-04 09:30+00:00"),),
        ),
        (
            "get_message_history",
            {"called": " the family chat ", "unread": True},
            "Reads the newest 50 unread messages of your Telegram conversation that you call “the family chat”",
            (),
        ),
        (
            "get_message_history",
            {"chat": "telegram:-100:7", "words": "boat", "since": "2026-03-04T09:30:00Z", "limit": 5},
            "Reads the newest 5 messages of one of your Telegram conversations",
            (("Conversation", "telegram:-100:7"), ("Words", "boat"), ("Since", "2026-03-04 09:30+00:00")),
        ),
        (
            "get_message_history",
            {"chat": "telegram:5", "since": "2026-03-04T09:30", "in_zone": "Europe/Berlin", "limit": 5},
            "Reads the newest 5 messages of one of your Telegram conversations",
            (("Conversation", "telegram:5"), ("Since", "2026-03-04 09:30 (Europe/Berlin)")),
        ),
        (
            "read_message",
            {"message_id": "telegram:5/12"},
            "Reads one message of a Telegram conversation of yours, and fetches its files",
            (("Conversation", "telegram:5"), ("Message", "12")),
        ),
        (
            "delete_message",
            {"message_ids": ["telegram:5/12", "telegram:5/13"], "was": "a\n\nb"},
            "Deletes 2 Telegram messages of yours for everybody",
            (("They say", "a\n\nb"),),
        ),
    ],
)
def test_a_call_is_shown_in_one_sentence_that_leaves_nothing_out(
    harness: Harness, name: str, args: dict[str, Any], effect: str, facts: tuple[tuple[str, str], ...]
) -> None:
    values = harness.call(name, **args).args

    shown = preview_of(harness.spec(name), values)

    assert (shown.effect, shown.facts) == (effect, facts)
    assert left_out(shown, values.model_dump(mode="json")) == ()


@pytest.mark.parametrize(
    ("name", "args", "complaint"),
    [
        ("read_message", {"message_id": "12"}, "say in which chat the message stands"),
        ("read_message", {"message_id": "telegram:5/12", "chat": "telegram:6"}, "names another chat"),
        ("read_message", {"message_id": "telegram:5/12", "chat": "Anna"}, "names another chat"),
        ("read_message", {"message_id": "telegram:5/0"}, "is no Telegram message"),
        ("read_message", {"message_id": None}, "valid string"),
        ("delete_message", {"message_ids": ["telegram:5/1", "telegram:6/1"]}, "do not stand in one chat"),
        ("delete_message", {"message_ids": []}, "at least 1"),
        ("edit_message", {"message_id": "telegram:5/1", "text": " "}, "needs a text"),
    ],
)
def test_a_message_that_cannot_be_found_is_refused_in_words(
    harness: Harness, name: str, args: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        harness.call(name, **args)


@pytest.mark.parametrize(
    "given", [{"to": {"address": "telegram:-100:7"}}, {"to": {"address": "telegram:-100", "name": "Club"}}, {}]
)
def test_a_message_and_its_chat_agree_whatever_the_topic(harness: Harness, given: dict[str, Any]) -> None:
    values = harness.call("reply_to_message", message_id="telegram:-100/12@work", text="yes", **given).args

    assert values.to.address == given.get("to", {"address": "telegram:-100"})["address"]
    assert (values.account, values.message_id) == ("work", "telegram:-100/12@work")
    spec = harness.spec("reply_to_message")
    assert spec.args.model_validate(values.model_dump(mode="json")) == values, "frozen as it is"
    assert spec.args.model_validate(values) == values


FAMILY, DINNER, CLUB = (
    Titled(f"telegram:-{number}", title, ChatKind.GROUP)
    for number, title in enumerate(("Family ❤️", "Family dinner", "The Chat"), 1)
)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("the family chat", [FAMILY]),
        ("family dinner", [DINNER]),
        ("dinner", [DINNER]),
        ("fam", [FAMILY, DINNER]),
        ("fa", []),
        ("the chat", [CLUB]),
        ("boats", []),
    ],
)
def test_the_owners_words_find_a_conversation_by_its_title(words: str, found: list[Titled]) -> None:
    assert list(called([words], (FAMILY, DINNER, CLUB))) == found
