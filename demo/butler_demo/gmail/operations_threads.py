"""The operations on threads: each does to every message of the thread what its sister does to one message."""

from butler_demo.gmail.call_context import CallContext
from butler_demo.gmail.operations_messages import found_messages
from butler_demo.gmail.records import Message
from butler_demo.gmail.views import message_view, thread_history_id, thread_summary
from butler_demo.google.call import Json


async def list_threads(call: CallContext) -> Json:
    """`users.threads.list`: the threads in which a message is found, by their newest found message."""
    newest: dict[str, Message] = {}
    for message in found_messages(call, label_ids=call.texts("labelIds")):
        newest.setdefault(message.thread_id, message)

    def view(message: Message) -> Json:
        history_id = thread_history_id(call.mailbox.thread(message.thread_id))
        return {"id": message.thread_id, "snippet": message.content.snippet, "historyId": history_id}

    return call.list_answer("threads", list(newest.values()), view)


async def get_thread(call: CallContext) -> Json:
    """`users.threads.get`."""
    messages = call.thread()
    form = call.format()
    views = [message_view(message, form, call.texts("metadataHeaders")) for message in messages]
    return {"id": call.text("id"), "historyId": thread_history_id(messages), "messages": views}


async def modify_thread(call: CallContext) -> Json:
    """`users.threads.modify`."""
    add, remove = call.labels_to_change()
    return _relabel(call, add, remove)


async def trash_thread(call: CallContext) -> Json:
    """`users.threads.trash`."""
    return _relabel(call, ["TRASH"], ["INBOX"])


async def untrash_thread(call: CallContext) -> Json:
    """`users.threads.untrash`."""
    return _relabel(call, [], ["TRASH"])


async def delete_thread(call: CallContext) -> None:
    """`users.threads.delete`: for good."""
    for message in call.thread():
        call.mailbox.delete(message.id)


def _relabel(call: CallContext, add: list[str], remove: list[str]) -> Json:
    return thread_summary([call.mailbox.relabel(message, add, remove) for message in call.thread()])
