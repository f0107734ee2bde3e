"""A file that was sent, as the argument of a tool that takes files: by its handle, as it came in, with its labels."""

from typing import Any

import pytest

from butler.orchestrator.file_arguments import takes_files
from tests.orchestrator.house import House, all_tools, planned, step
from tests.orchestrator.readers import READ_FILE, document, wired
from tests.orchestrator.things import BILL

MAIL = "user_email_send_message"
FILE_1 = {"handle": "file-1"}
TO_ANNA: dict[str, Any] = {"subject": "The bill", "body": "Here it is."}


async def sent_on(house: House, **more: Any) -> None:
    """The bill goes to Anna by mail, which is asked for and approved."""
    anna = {"contact": await house.contact("Anna")}
    args: dict[str, Any] = TO_ANNA | {"to": [anna], "attachments": [FILE_1]} | more
    await house.say("mail it to Anna", planned(step(1, MAIL).model_copy(update={"args": args})))


async def test_a_file_that_was_sent_here_goes_out_as_it_came(house: House) -> None:
    wired(house)
    await house.meet()
    house.results[READ_FILE] = [document()]
    await house.say("", segments=(), attachments=(BILL,))
    await sent_on(house)
    (card,) = house.phone.cards.values()
    assert card.attachments == (BILL,)
    assert card.reasons == ("the files comes from the file bill.pdf",)


async def test_what_is_no_stored_file_is_not_taken_for_one(house: House) -> None:
    wired(house)
    await house.meet()
    house.results[READ_FILE] = [document()]
    await house.say("", segments=(), attachments=(BILL,))
    await sent_on(house, attachments=["f" * 64])
    assert "I do not have that file as it was sent" in house.phone.said[-1]
    assert house.phone.cards == {}


@pytest.mark.parametrize(
    ("tool", "argument", "takes"),
    [("bot_r2_put_object", "file", True), ("bot_r2_put_object", "key", False), (MAIL, "attachments", True),
     (READ_FILE, "file", False)],
)  # fmt: skip
def test_whether_a_file_itself_is_wanted_stands_in_the_tools_schema(tool: str, argument: str, *, takes: bool) -> None:
    assert takes_files(all_tools().spec(tool), argument) is takes
