"""Fills in the chat and the account of a message from its address."""

from typing import Annotated, Any, cast

from pydantic import AfterValidator, BeforeValidator

from butler.contract.errors import Refuse
from butler.contract.tools import Recipient
from modules.telegram.address import Address, MessageAddress


def _message(text: str) -> str:
    try:
        return str(MessageAddress.parse(text))
    except Refuse as error:
        raise ValueError(error.detail) from None


def _written(given: Any) -> Any:
    return str(given) if isinstance(given, int) else given


MessageId = Annotated[str, BeforeValidator(_written), AfterValidator(_message)]
"""A message's address from a history, which includes its chat; or its number, with the chat given separately."""


def number_of(message_id: str) -> int:
    """Return the message's number within its chat."""
    return MessageAddress.parse(message_id).number


def fill_in_chat(given: Any) -> Any:
    """Fill in `to` from the message's address."""
    return placed(given, "to")


def placed(given: Any, key: str) -> Any:
    """Fill in the chat and the account from the messages' addresses; raise `ValueError` if they disagree."""
    if not isinstance(given, dict):
        return given
    args = cast("dict[str, Any]", given)
    several = args.get("message_ids")
    # A value that is not a list is left to the schema to refuse: a planner may pass anything.
    named = [args.get("message_id"), *(cast("list[Any]", several) if isinstance(several, list | tuple) else ())]
    places = {(place.chat, place.account) for place in map(_place, named) if place and place.chat is not None}
    if not places:
        return args
    if len(places) > 1:
        raise ValueError("these messages do not stand in one chat")
    ((chat, account),) = places
    address = str(Address(chat or 0))
    if (to := args.get(key)) and _bare(to) != address:
        raise ValueError(f"the message stands in {address}, and {key} names another chat")
    if account and args.get("account") not in {None, "", account}:
        raise ValueError(f"the message is one of the account {account!r}")
    args = {**args, "account": args.get("account") or account}
    return args if to else {**args, key: {"address": address} if key == "to" else address}


def _place(message_id: Any) -> MessageAddress | None:
    try:
        return MessageAddress.parse(message_id) if isinstance(message_id, str) else None
    except Refuse:
        return None


def _bare(to: Any) -> str:
    """Return a recipient's address without its topic."""
    if isinstance(to, Recipient):
        address: Any = to.address
    else:
        address = cast("dict[str, Any]", to).get("address") if isinstance(to, dict) else to
    try:
        return str(Address(Address.parse(str(address)).chat_id))
    except Refuse:
        return ""
