"""The table of what the Gmail stand-in can do."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from butler_demo.gmail import operations_account as account
from butler_demo.gmail import operations_drafts as drafts
from butler_demo.gmail import operations_labels as labels
from butler_demo.gmail import operations_messages as messages
from butler_demo.gmail import operations_threads as threads
from butler_demo.gmail.call_context import CallContext
from butler_demo.google.call import Answer

OperationHandler: TypeAlias = Callable[[CallContext], Awaitable[Answer]]

OPERATIONS: Mapping[str, OperationHandler] = {
    "gmail.users.getProfile": account.get_profile,
    "gmail.users.history.list": account.list_history,
    "gmail.users.watch": account.watch,
    "gmail.users.stop": account.stop,
    "gmail.users.settings.sendAs.list": account.list_send_as,
    "gmail.users.settings.sendAs.get": account.get_send_as,
    "gmail.users.labels.list": labels.list_labels,
    "gmail.users.labels.get": labels.get_label,
    "gmail.users.labels.create": labels.create_label,
    "gmail.users.labels.update": labels.update_label,
    "gmail.users.labels.patch": labels.patch_label,
    "gmail.users.labels.delete": labels.delete_label,
    "gmail.users.messages.list": messages.list_messages,
    "gmail.users.messages.get": messages.get_message,
    "gmail.users.messages.attachments.get": messages.get_attachment,
    "gmail.users.messages.send": messages.send_message,
    "gmail.users.messages.insert": messages.insert_message,
    "gmail.users.messages.import": messages.import_message,
    "gmail.users.messages.modify": messages.modify_message,
    "gmail.users.messages.batchModify": messages.batch_modify,
    "gmail.users.messages.batchDelete": messages.batch_delete,
    "gmail.users.messages.delete": messages.delete_message,
    "gmail.users.messages.trash": messages.trash_message,
    "gmail.users.messages.untrash": messages.untrash_message,
    "gmail.users.threads.list": threads.list_threads,
    "gmail.users.threads.get": threads.get_thread,
    "gmail.users.threads.modify": threads.modify_thread,
    "gmail.users.threads.trash": threads.trash_thread,
    "gmail.users.threads.untrash": threads.untrash_thread,
    "gmail.users.threads.delete": threads.delete_thread,
    "gmail.users.drafts.create": drafts.create_draft,
    "gmail.users.drafts.update": drafts.update_draft,
    "gmail.users.drafts.get": drafts.get_draft,
    "gmail.users.drafts.list": drafts.list_drafts,
    "gmail.users.drafts.delete": drafts.delete_draft,
    "gmail.users.drafts.send": drafts.send_draft,
}
