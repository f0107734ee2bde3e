"""The methods that are built, by name; `getUpdates` is not here because it alone waits."""

from . import account, editing, sending, updates
from .request import Handler

METHODS: dict[str, Handler] = {
    "answerCallbackQuery": editing.answer_callback_query,
    "deleteMessage": editing.delete_message,
    "deleteWebhook": updates.delete_webhook,
    "editMessageText": editing.edit_message_text,
    "getFile": account.get_file,
    "getMe": account.get_me,
    "getWebhookInfo": updates.get_webhook_info,
    "sendChatAction": account.send_chat_action,
    "sendDocument": sending.send_document,
    "sendMessage": sending.send_message,
    "sendPhoto": sending.send_photo,
    "setMyCommands": account.set_my_commands,
    "setWebhook": updates.set_webhook,
}
