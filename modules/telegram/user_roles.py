"""The role of each argument of the owner's account tools."""

from butler.contract.tools import ArgMetadata, ArgRole, ToolMetadata

_TO = ArgMetadata(ArgRole.RECIPIENT)
_CONTENT = ArgMetadata(ArgRole.CONTENT, sensitive=True)
_OPTION = ArgMetadata(ArgRole.OPTION)
_TARGET = ArgMetadata(ArgRole.TARGET)
_QUERY = ArgMetadata(ArgRole.TARGET, sensitive=True)
_SEND = {"to": _TO, "text": _CONTENT, "attachments": _CONTENT, "account": _OPTION}

USER_METADATA = {
    "user_telegram_list_dialogs": ToolMetadata(
        {"limit": _OPTION, "unread": _OPTION, "muted": _OPTION, "account": _OPTION}, sensitive_read=True
    ),
    "user_telegram_get_updates": ToolMetadata(
        {"limit": _OPTION, "unread": _OPTION, "since": _OPTION, "muted": _OPTION, "account": _OPTION},
        sensitive_read=True,
    ),
    "user_telegram_get_message_history": ToolMetadata(
        {
            "chat": _TARGET,
            "called": _QUERY,
            "limit": _OPTION,
            "unread": _OPTION,
            "words": _QUERY,
            "since": _OPTION,
            "account": _OPTION,
        },
        sensitive_read=True,
    ),
    "user_telegram_read_message": ToolMetadata(
        {"chat": _TARGET, "message_id": _TARGET, "account": _OPTION}, sensitive_read=True
    ),
    "user_telegram_send_message": ToolMetadata(_SEND),
    "user_telegram_reply_to_message": ToolMetadata(
        {**_SEND, "message_id": _TARGET, "answers": _CONTENT, "topic": _TARGET}
    ),
    "user_telegram_edit_message": ToolMetadata(
        {"to": _TO, "message_id": _TARGET, "text": _CONTENT, "was": _CONTENT, "account": _OPTION}
    ),
    "user_telegram_delete_message": ToolMetadata(
        {"to": _TO, "message_ids": _TARGET, "was": _CONTENT, "account": _OPTION}
    ),
}
