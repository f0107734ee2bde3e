"""Whatever a planner gives as an argument of the person's accounts is taken or refused, and never breaks a step."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from butler.contract.mirror import ChatKind
from modules.email.imap.user_ids import read_ref
from modules.telegram.user_args import DeleteArgs, EditArgs, ReadMessageArgs, ReplyArgs
from modules.telegram.user_called import Titled, called

TO = {"address": "telegram:5"}


@pytest.mark.parametrize("args", [DeleteArgs, EditArgs, ReadMessageArgs, ReplyArgs])
@pytest.mark.parametrize("odd", [7, True, "x", {"a": 1}, [[1]], [{"contact": "1"}], [None], 0, -1, 1.5])
@pytest.mark.parametrize("name", ["message_id", "message_ids", "to", "chat", "account"])
def test_an_argument_of_an_odd_kind_is_refused_or_moves_the_call_nowhere(
    args: type[BaseModel], odd: Any, name: str
) -> None:
    given = {"message_id": "telegram:5/1", "text": "x", "to": TO, name: odd}
    try:
        taken = args.model_validate({key: value for key, value in given.items() if key in {*args.model_fields, name}})
    except ValidationError:
        return
    assert taken.model_dump().get("to", TO)["address"] == "telegram:5"
    assert taken.model_dump().get("chat", "telegram:5") == "telegram:5"


@pytest.mark.parametrize("odd", ["imap:main:INBOX:²:1:", "imap:main:INBOX:1:³:", "imap:main:INBOX:-1:1:", "imap:::::"])
def test_an_id_of_a_mail_with_odd_digits_names_no_mail(odd: str) -> None:
    assert read_ref(odd) is None


def test_a_conversation_called_by_an_emoji_is_the_one_that_has_it_and_none_without_a_title() -> None:
    family = Titled("telegram:-1", "The Smiths \N{FAMILY}", ChatKind.GROUP)
    nameless = [Titled(f"telegram:-{n}", title, ChatKind.GROUP) for n, title in enumerate(("", "\u2060", "..."), 2)]
    assert called("\N{FAMILY}", [*nameless, family]) == [family]
    assert called(" ", nameless) == []
