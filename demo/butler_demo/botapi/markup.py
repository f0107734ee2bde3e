"""Inline keyboards: the rules beyond the description, such as 64 bytes of callback data."""

from .errors import bad_request, not_built
from .records import Json

CALLBACK_DATA_BYTES = 64
MAX_BUTTONS = 100
_ACTIONS = frozenset({"url", "callback_data", "switch_inline_query", "switch_inline_query_current_chat", "copy_text"})
_SCHEMES = ("http://", "https://", "tg://")
_NOT_BUILT = frozenset({"web_app", "login_url", "switch_inline_query_chosen_chat", "callback_game", "pay"})


def inline_keyboard(params: Json) -> Json | None:
    """The message's keyboard out of `reply_markup`; None if it has none, raises ApiError if it is refused."""
    markup: Json | None = params.get("reply_markup")
    if not markup or not markup.get("inline_keyboard"):
        return None
    rows = [row for row in markup["inline_keyboard"] if row]
    if sum(len(row) for row in rows) > MAX_BUTTONS:
        raise bad_request("reply markup is too long")
    for row in rows:
        for button in row:
            _check_button(button)
    return {"inline_keyboard": rows} if rows else None


def _check_button(button: Json) -> None:
    for unbuilt in _NOT_BUILT & button.keys():
        raise not_built(f"a button with {unbuilt}")
    if not button["text"].strip():
        raise bad_request("can't parse inline keyboard button: Button text must be non-empty")
    actions = _ACTIONS & button.keys()
    if not actions:
        raise bad_request("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    if len(actions) > 1:
        raise bad_request("can't parse inline keyboard button: exactly one action must be used")
    if "callback_data" in button and not 1 <= len(button["callback_data"].encode()) <= CALLBACK_DATA_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")
    if "url" in button and not button["url"].startswith(_SCHEMES):
        raise bad_request("BUTTON_URL_INVALID")
