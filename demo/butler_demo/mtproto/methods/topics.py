# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.getForumTopics, getReplies and readDiscussion: the topics of a forum."""

from datetime import datetime
from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.channels import Channel, Topic
from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.methods.history import LARGEST_PAGE, answer, is_set, page_of
from butler_demo.mtproto.methods.notify import settings_of
from butler_demo.mtproto.peers import find_channel, plain_peer
from butler_demo.mtproto.views import TOPIC_COLOUR, View


def get_forum_topics(context: Context, request: functions.messages.GetForumTopicsRequest) -> types.messages.ForumTopics:
    """The topics of a forum, those last written to first, page by page; `q` searches their titles."""
    channel = _forum(context, request.peer)
    words = (request.q or "").casefold()
    topics = [topic for topic in channel.topics.values() if not topic.is_deleted and words in topic.title.casefold()]
    topics.sort(key=lambda topic: _place(context, channel, topic), reverse=True)
    offset = _offset(request)
    rest = [t for t in topics if offset is None or _place(context, channel, t)[: len(offset)] < offset]
    return _answer(context, channel, rest[: min(request.limit, LARGEST_PAGE)], len(topics))


def get_forum_topics_by_id(
    context: Context, request: functions.messages.GetForumTopicsByIDRequest
) -> types.messages.ForumTopics:
    """Topics by id; a mark in the place of each that is gone."""
    channel = _forum(context, request.peer)
    topics = [channel.topics.get(topic_id) or _gone(channel, topic_id) for topic_id in request.topics]
    return _answer(context, channel, topics, len(topics))


def get_replies(context: Context, request: functions.messages.GetRepliesRequest) -> Any:
    """One topic's messages, newest first."""
    channel = _forum(context, request.peer)
    if request.msg_id not in channel.topics:
        raise RpcFault(400, "TOPIC_ID_INVALID")
    box = context.state.store.box(channel.peer_id)
    thread = box.thread(request.msg_id)
    page = [box.messages[i] for i in page_of(thread, request, before=request.offset_date)]
    return answer(context, box, page, len(thread.ids))


def read_discussion(context: Context, request: functions.messages.ReadDiscussionRequest) -> bool:
    """Mark a topic as read up to a message; its authors hear of it."""
    channel = _forum(context, request.peer)
    if request.msg_id not in channel.topics:
        raise RpcFault(400, "TOPIC_ID_INVALID")
    context.state.reading.read_topic(context.account.id, channel.peer_id, request.msg_id, request.read_max_id)
    return True


def _forum(context: Context, peer: Any) -> Channel:
    channel = find_channel(context, peer)
    if not channel.is_forum:
        raise RpcFault(400, "CHANNEL_FORUM_MISSING")
    return channel


def _gone(channel: Channel, topic_id: int) -> Topic:
    return Topic(topic_id, "", channel.creator_id, channel.created_at, is_deleted=True)


def _place(context: Context, channel: Channel, topic: Topic) -> tuple[datetime, int, int]:
    box = context.state.store.box(channel.peer_id)
    newest = box.messages.get(box.thread(topic.id).newest)
    return (newest.date, newest.id, topic.id) if newest else (topic.created_at, topic.id, topic.id)


def _offset(request: functions.messages.GetForumTopicsRequest) -> tuple[datetime | int, ...] | None:
    if not is_set(request.offset_date):
        return None
    offset = (request.offset_date, request.offset_id, request.offset_topic)
    return tuple(part for part in offset if part)


def _answer(context: Context, channel: Channel, topics: list[Topic], count: int) -> types.messages.ForumTopics:
    box, view = context.state.store.box(channel.peer_id), View(context.state, context.account.id)
    newest = [message for topic in topics if (message := box.messages.get(box.thread(topic.id).newest))]
    authors = {topic.creator_id for topic in topics}
    return types.messages.ForumTopics(
        count=count,
        topics=[_topic(context, channel, topic) for topic in topics],
        messages=[view.message(message) for message in newest],
        pts=box.pts,
        **view.entities_of({channel.peer_id, *authors, *view.peers_in(newest)}),
    )


def _topic(context: Context, channel: Channel, topic: Topic) -> types.ForumTopic | types.ForumTopicDeleted:
    if topic.is_deleted:
        return types.ForumTopicDeleted(topic.id)
    account_id, key, reading = context.account.id, (channel.peer_id, topic.id), context.state.reading
    return types.ForumTopic(
        id=topic.id,
        date=topic.created_at,
        peer=plain_peer(channel.peer_id),
        title=topic.title,
        icon_color=TOPIC_COLOUR,
        top_message=context.state.store.box(channel.peer_id).thread(topic.id).newest,
        read_inbox_max_id=reading.topic_mark(account_id, *key),
        read_outbox_max_id=context.box.topics_read_by_peer.get(key, 0),
        unread_count=reading.unread_in_topic(account_id, *key),
        unread_mentions_count=0,
        unread_reactions_count=0,
        unread_poll_votes_count=0,
        from_id=plain_peer(topic.creator_id),
        notify_settings=settings_of(context.state, account_id, channel.peer_id),
        my=topic.creator_id == account_id,
        closed=topic.is_closed,
    )


METHODS: Methods = {
    functions.messages.GetForumTopicsRequest: get_forum_topics,
    functions.messages.GetForumTopicsByIDRequest: get_forum_topics_by_id,
    functions.messages.GetRepliesRequest: get_replies,
    functions.messages.ReadDiscussionRequest: read_discussion,
}
