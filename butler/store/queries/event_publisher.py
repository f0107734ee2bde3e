"""Publishes what happens as events, in the transaction in which it happens.

Of the owner's accounts, only new items are published: the first sync of an account brings years of mails, none of which
is news.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypedDict, Unpack

import sqlalchemy as sa

from butler.contract.events import MOST_TEXT, Event, EventName, Fact
from butler.contract.inbound import BEFORE_FIRST_LOOK, Inbound, InboundKind
from butler.contract.mail import MailKind
from butler.contract.mirror import ChatKind, MirrorUpdate, SeenChat, SeenMessage
from butler.contract.names import Identity
from butler.contract.provenance import Origin, SourceKind, SourceName, Trust
from butler.store.queries import approvals, bulk, contacts, cursors, events, plans
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.bulk import ItemState, RunState
from butler.store.queries.storable_text import storable
from butler.store.tables import seen_chats

NEWS_FOR = timedelta(days=7)
"""Items older than this when first seen are no news, however long Butler was down."""
ABOUT_NOW = timedelta(minutes=5)
"""Items from so shortly before an account was first seen are news too."""
WATCHED = "events:{channel}:{account}"
"""The cursor that holds the time since when an account is watched."""
ANSWERS = ("re:", "aw:", "sv:", "vs:", "antw:", "rv:")
BY_MACHINES = frozenset(MailKind) - {MailKind.PERSONAL, MailKind.REPLY, MailKind.FORWARD, MailKind.INVITE}
NO_NEWS = frozenset({"spam", "junk", "trash", "draft", "drafts", "deleted items", "deleted messages", "service"})
"""Labels and folders whose items are not published."""
KINDS = {ChatKind.PERSON: "person", ChatKind.BOT: "bot", ChatKind.GROUP: "group", ChatKind.CHANNEL: "channel"}
PENDING, ENDS = "pending", frozenset({"done", "failed", "unknown"})
"""States of approvals: the state that decisions leave, and those that are final."""
CAUSED_BY = "automation:"
"""The prefix of an inbound id that an automation made: `automation:<depth>:<...>`."""
_CHAT = sa.select(*(seen_chats.c[name] for name in SeenChat.model_fields)).where(
    *(seen_chats.c[name] == sa.bindparam(f"k_{name}") for name in ("channel", "account", "chat"))
)


def depth_of(requested_by: str) -> int:
    """Return how many automations in succession led to this inbound."""
    number = requested_by.removeprefix(CAUSED_BY).split(":", 1)[0] if requested_by.startswith(CAUSED_BY) else ""
    return int(number) if number.isdecimal() else 0


def depth_of_mail(connection: sa.Connection, message_id: str) -> int:
    """Return how many automations led to a mail: the Message-ID of Butler's mails is made from the attempt's token."""
    token = message_id.strip("<> ").partition("@")[0]
    sent = approvals.by_token(connection, token) if token.isdecimal() else None
    return depth_of(sent.requested_by) if sent is not None else 0


def depth_of_call(connection: sa.Connection, call_id: str) -> int:
    """Return how many automations led to the effect of a call, whether or not it was approved."""
    return depth_of(plans.asked_by(connection, call_id.rpartition(":")[0]))


def come_in(connection: sa.Connection, items: Sequence[Inbound], now: datetime) -> None:
    """Publish mails and messages to the butler from others than the owner, if they are news."""
    for item in items:
        if item.payload.get(BEFORE_FIRST_LOOK):
            continue
        if item.kind is InboundKind.MAIL and item.identity is Identity.BOT and not item.payload.get("own"):
            _emit(connection, EventName.MAIL_RECEIVED, item.dedup_key, now, **_mail_to_butler(connection, item))
        elif item.kind is InboundKind.CHAT and item.origin.trust is not Trust.OWNER:
            _emit(connection, EventName.CHAT_RECEIVED, item.dedup_key, now, **_chat_with_butler(connection, item))


def seen(connection: sa.Connection, batch: MirrorUpdate, fresh: Sequence[SeenMessage], now: datetime) -> None:
    """Publish new and recent items of others in an account of the owner's."""
    name = WATCHED.format(channel=batch.channel, account=batch.account)
    earliest = now - NEWS_FOR
    recent = [one for one in fresh if one.at >= earliest and not one.outgoing]
    if not recent and not batch.messages:
        return
    since = cursors.get(connection, name)
    if since is None:
        since = now.isoformat()
        cursors.put(connection, name, since, now)
    begun = datetime.fromisoformat(since) - ABOUT_NOW
    chats = {chat.chat: chat for chat in batch.chats}
    for one in recent:
        if one.at >= begun and one.sender and not any(label.casefold() in NO_NEWS for label in one.labels):
            _tell_of(connection, one, chats, now)


def approval_moved(connection: sa.Connection, row: ApprovalRow, before: str, after: str, now: datetime) -> None:
    """Publish a card's decision or expiry, and how its call ended."""
    facts: dict[str, Fact] = {"approval": row.approval_id, "tool": row.tool, "account": row.account}
    if before == PENDING:
        decided = facts | {"decision": after}
        _of_approval(connection, EventName.APPROVAL_DECIDED, row, decided, f"{row.revision}:{after}", now)
    if after in ENDS:
        _of_approval(connection, EventName.APPROVAL_FINISHED, row, facts | {"outcome": after}, after, now)


def bulk_finished(connection: sa.Connection, run_id: str, now: datetime) -> None:
    """Publish how a bulk run ended."""
    run = bulk.get(connection, run_id)
    if run is None:
        return
    asked = approvals.by_call(connection, run.call_id) if run.call_id else None
    failed = bulk.counts(connection, run_id)[ItemState.FAILED]
    outcome = "failed" if run.state is RunState.DONE and failed and failed >= run.total else run.state.value
    facts: dict[str, Fact] = {
        "run": run_id,
        "tool": asked.tool if asked else "",
        "outcome": outcome,
        "total": run.total,
        "failed": failed,
    }
    _emit(
        connection,
        EventName.BULK_FINISHED,
        f"{run_id}:{now.isoformat()}",
        now,
        channel="bulk",
        identity=Identity.USER,
        account=run.account,
        at=now,
        facts=facts,
        origin=Origin.butler("bulk"),
        subject=run_id,
        depth=depth_of(asked.requested_by) if asked else 0,
    )


class _Told(TypedDict, total=False):
    channel: str
    identity: Identity
    account: str
    at: datetime
    facts: Mapping[str, Fact]
    origin: Origin
    subject: str
    depth: int


def _emit(connection: sa.Connection, name: EventName, key: str, now: datetime, **told: Unpack[_Told]) -> None:
    dedup_key = f"{name}:{key}"
    event_id = events.id_of(dedup_key)
    events.emit(connection, Event.model_validate({"event_id": event_id, "name": name, **told}), dedup_key, now)


def _of_approval(
    connection: sa.Connection, name: EventName, row: ApprovalRow, facts: Mapping[str, Fact], key: str, now: datetime
) -> None:
    _emit(
        connection,
        name,
        f"{row.approval_id}:{key}",
        now,
        channel="approvals",
        identity=Identity(row.identity),
        account=row.account,
        at=now,
        facts=facts,
        origin=Origin.butler("approvals"),
        subject=row.approval_id,
        depth=depth_of(row.requested_by),
    )


def _mail_to_butler(connection: sa.Connection, item: Inbound) -> _Told:
    proved = item.payload.get("authority", {}).get("command") is True
    subject, facts = str(item.payload.get("subject") or ""), item.mail
    data: dict[str, Fact] = {
        **_by(connection, item.sender, item.sender_name),
        "domain": _domain(item.sender),
        "subject": _text(subject),
        "text": _text(item.text),
        "files": len(item.attachments),
        "answer": item.reply_to is not None,
        "list": facts is not None and facts.kind in BY_MACHINES,
        "proved": proved,
        "ref": item.message_ref,
    }
    return _of_item(connection, item, data)


def _chat_with_butler(connection: sa.Connection, item: Inbound) -> _Told:
    group = item.chat != item.sender
    data: dict[str, Fact] = {
        **_by(connection, item.sender, item.sender_name),
        "chat": item.chat,
        "chat_title": _text(str(item.payload.get("chat_title") or "")),
        "kind": "group" if group else "person",
        "text": _text(item.text),
        "files": len(item.attachments),
        "answer": item.reply_to is not None,
        "ref": item.message_ref,
    }
    return _of_item(connection, item, data)


def _of_item(connection: sa.Connection, item: Inbound, facts: dict[str, Fact]) -> _Told:
    # Others' words may be quoted in the owner's, so the whole is only the owner's if every piece of it is.
    pieces = frozenset[Origin]().union(*(one.origins for one in item.segments), {item.origin})
    others = sorted((one for one in pieces if one.trust is not Trust.OWNER), key=lambda one: (one.trust, one.source))
    worst = next((one for one in others if one.trust is Trust.UNTRUSTED), None)
    return {
        "channel": item.channel,
        "identity": item.identity,
        "account": item.account,
        "at": item.received_at,
        "facts": {"identity": item.identity.value, "account": item.account, **facts},
        "origin": worst or next(iter(others), item.origin),
        "subject": item.inbound_id,
        "depth": depth_of_mail(connection, str(item.payload.get("message_id") or "")),
    }


def _tell_of(connection: sa.Connection, one: SeenMessage, chats: Mapping[str, SeenChat], now: datetime) -> None:
    chat = chats.get(one.chat) or _chat(connection, one)
    if chat is not None and chat.muted:
        return
    mail = one.sender.startswith("mail:")
    facts: dict[str, Fact] = {
        "identity": Identity.USER.value,
        "account": one.account,
        **_by(connection, one.sender, one.sender_name),
        "text": _text(one.text),
        "files": len(one.files),
        "ref": one.key or one.ref,
    }
    if mail:
        answer = bool(one.reply_to) or one.subject.casefold().lstrip().startswith(ANSWERS)
        facts |= {"domain": _domain(one.sender), "subject": _text(one.subject), "answer": answer}
        # The owner's server is not asked who really sent a mail, so nothing is proved.
        facts |= {"list": False, "proved": False}
    else:
        title, kind = (chat.title, chat.kind) if chat else ("", ChatKind.PERSON)
        facts |= {"chat": one.chat, "chat_title": _text(title), "kind": KINDS.get(kind, "person")}
        facts |= {"answer": bool(one.reply_to)}
    known = bool(facts["contact"]) and not mail
    _emit(
        connection,
        EventName.MAIL_RECEIVED if mail else EventName.CHAT_RECEIVED,
        f"{one.channel}:{one.account}:{one.chat}:{one.message_id or one.ref}",
        now,
        channel=one.channel,
        identity=Identity.USER,
        account=one.account,
        at=one.at,
        facts=facts,
        origin=Origin(
            # Telegram vouches for a message's author, nobody for a mail's; forwarded content is somebody else's.
            trust=Trust.CONTACT if known and not one.forwarded_from else Trust.UNTRUSTED,
            source=f"{one.channel}:{one.ref}",
            shown_as=SourceName(
                kind=SourceKind.MAIL if mail else SourceKind.MESSAGE,
                who=str(facts["contact"] or one.sender.removeprefix("mail:")),
            ),
        ),
        subject=f"{one.channel}/{one.account}/{one.chat}/{one.ref}",
        depth=depth_of_mail(connection, one.message_id),
    )


def _chat(connection: sa.Connection, one: SeenMessage) -> SeenChat | None:
    """Return a message's chat, which not every batch includes."""
    row = (
        connection.execute(_CHAT, {"k_channel": one.channel, "k_account": one.account, "k_chat": one.chat})
        .mappings()
        .first()
    )
    return None if row is None else SeenChat.model_validate(row)


def _by(connection: sa.Connection, sender: str, name: str) -> dict[str, Fact]:
    contact_id = contacts.confirmed(connection, sender)
    known = contacts.name_of(connection, contact_id) if contact_id else ""
    return {"sender": sender, "contact": known, "sender_name": _text(name)}


def _domain(sender: str) -> str:
    return sender.rpartition("@")[2] if "@" in sender else ""


def _text(text: str) -> str:
    return storable(text[:MOST_TEXT])
