"""The operations on the account itself: profile, history, push, and the addresses that it sends as."""

import re
from datetime import timedelta

from butler_demo.gmail.call_context import CallContext
from butler_demo.gmail.records import Watch
from butler_demo.gmail.views import alias_view, history_view, own_address_view
from butler_demo.google.call import Json
from butler_demo.google.errors import invalid_argument, not_found

_TOPIC = re.compile(r"projects/[^/]+/topics/[^/]+")
_WATCH_LASTS = timedelta(days=7)


async def get_profile(call: CallContext) -> Json:
    """`users.getProfile`."""
    messages, _, threads, _ = call.mailbox.count()
    return {
        "emailAddress": call.mailbox.address,
        "messagesTotal": messages,
        "threadsTotal": threads,
        "historyId": str(call.mailbox.history.current),
    }


async def list_history(call: CallContext) -> Json:
    """`users.history.list`: 404 for an id that is too old or was never given out."""
    if "startHistoryId" not in call.parameters:
        raise invalid_argument("Missing startHistoryId")
    start = int(call.text("startHistoryId"))
    history = call.mailbox.history
    if not history.knows(start, call.now):
        raise not_found()
    kinds, label_id = call.texts("historyTypes"), call.text("labelId")
    entries = [
        entry
        for entry in history.since(start)
        if (not kinds or entry.kind in kinds) and (not label_id or entry.concerns(label_id))
    ]
    page, more = call.mail_page(entries)
    answer: Json = {"historyId": str(history.current)} | more
    if page:
        answer["history"] = [history_view(entry) for entry in page]
    return answer


async def watch(call: CallContext) -> Json:
    """`users.watch`: the answer only; nothing is published."""
    topic: str = call.body.get("topicName") or ""
    if not _TOPIC.fullmatch(topic):
        raise invalid_argument("Invalid topicName does not match projects/*/topics/*")
    label_ids: list[str] = call.body.get("labelIds") or []
    for label_id in label_ids:
        call.mailbox.labels.get(label_id)
    call.mailbox.watch = Watch(topic, tuple(label_ids), call.now + _WATCH_LASTS)
    ends = str(int(call.mailbox.watch.ends.timestamp() * 1000))
    return {"historyId": str(call.mailbox.history.current), "expiration": ends}


async def stop(call: CallContext) -> None:
    """`users.stop`."""
    call.mailbox.watch = None


async def list_send_as(call: CallContext) -> Json:
    """`users.settings.sendAs.list`: the own address first."""
    return {"sendAs": [own_address_view(call.mailbox), *map(alias_view, call.mailbox.aliases.values())]}


async def get_send_as(call: CallContext) -> Json:
    """`users.settings.sendAs.get`."""
    wanted = call.text("sendAsEmail").lower()
    if wanted == call.mailbox.address:
        return own_address_view(call.mailbox)
    if wanted not in call.mailbox.aliases:
        raise not_found()
    return alias_view(call.mailbox.aliases[wanted])
