"""The methods that are built, by name; `getUpdates` is not here because it alone waits."""

from . import account, editing, sending, updates
from .request import Handler

METHODS: dict[str, Handler] = {
    "answerCallbackQuery": editing.answer_callback_query,
    "copyMessage": sending.copy_message,
    "deleteMessage": editing.delete_message,
    "deleteMyCommands": account.delete_my_commands,
    "deleteWebhook": updates.delete_webhook,
    "editMessageCaption": editing.edit_message_caption,
    "editMessageReplyMarkup": editing.edit_message_reply_markup,
    "editMessageText": editing.edit_message_text,
    "forwardMessage": sending.forward_message,
    "getChat": account.get_chat,
    "getFile": account.get_file,
    "getMe": account.get_me,
    "getMyCommands": account.get_my_commands,
    "getWebhookInfo": updates.get_webhook_info,
    "sendChatAction": account.send_chat_action,
    "sendDocument": sending.send_document,
    "sendMessage": sending.send_message,
    "sendPhoto": sending.send_photo,
    "setMessageReaction": editing.set_message_reaction,
    "setMyCommands": account.set_my_commands,
    "setWebhook": updates.set_webhook,
}
