"""The role of each argument of the owner's account tools."""

from butler.contract.tools import ToolMetadata

USER_METADATA = {
    "user_telegram_list_dialogs": ToolMetadata.of(option="limit unread muted account", sensitive_read=True),
    "user_telegram_get_updates": ToolMetadata.of(
        option="limit unread since muted in_zone account", sensitive_read=True
    ),
    "user_telegram_get_message_history": ToolMetadata.of(
        target="chat called words", option="limit unread since in_zone account", sensitive_read=True
    ),
    "user_telegram_find_group": ToolMetadata.of(target="called chat", option="account"),
    "user_telegram_read_message": ToolMetadata.of(target="chat message_id", option="account", sensitive_read=True),
    "user_telegram_send_message": ToolMetadata.of(recipient="to", content="text attachments", option="group account"),
    "user_telegram_reply_to_message": ToolMetadata.of(
        recipient="to", content="text attachments answers", target="message_id topic", option="account"
    ),
    "user_telegram_edit_message": ToolMetadata.of(
        recipient="to", content="text was", target="message_id", option="account"
    ),
    "user_telegram_delete_message": ToolMetadata.of(
        recipient="to", content="was", target="message_ids", option="account"
    ),
}
