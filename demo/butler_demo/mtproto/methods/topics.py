# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.getForumTopicsByID and getReplies: the topics of a forum."""

from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.methods.history import answer, page_of
from butler_demo.mtproto.methods.notify import settings_of
from butler_demo.mtproto.peers import find_channel, plain_peer
from butler_demo.mtproto.views import TOPIC_COLOUR, View


def get_forum_topics_by_id(
    context: Context, request: functions.messages.GetForumTopicsByIDRequest
) -> types.messages.ForumTopics:
    """Topics by id; a mark in the place of each that is gone."""
    channel = _forum(context, request.peer)
    box, view = context.state.store.box(channel.peer_id), View(context.state, context.account.id)
    topics = [topic for topic_id in request.topics if (topic := channel.topics.get(topic_id))]
    newest = [message for topic in topics if (message := box.messages.get(box.threads[topic.id].newest))]
    authors = {topic.creator_id for topic in topics}
    return types.messages.ForumTopics(
        count=len(request.topics),
        topics=[_topic(context, channel, topic_id) for topic_id in request.topics],
        messages=[view.message(message) for message in newest],
        pts=box.pts,
        **view.entities_of({channel.peer_id, *authors, *view.peers_in(newest)}),
    )


def get_replies(context: Context, request: functions.messages.GetRepliesRequest) -> Any:
    """One topic's messages, newest first."""
    channel = _forum(context, request.peer)
    if request.msg_id not in channel.topics:
        raise RpcFault(400, "TOPIC_ID_INVALID")
    box = context.state.store.box(channel.peer_id)
    thread = box.threads[request.msg_id]
    page = [box.messages[i] for i in page_of(thread, request)]
    return answer(context, box, page, len(thread.ids))


def _forum(context: Context, peer: Any) -> Channel:
    channel = find_channel(context, peer)
    if not channel.is_forum:
        raise RpcFault(400, "CHANNEL_FORUM_MISSING")
    return channel


def _topic(context: Context, channel: Channel, topic_id: int) -> types.ForumTopic | types.ForumTopicDeleted:
    topic = channel.topics.get(topic_id)
    if topic is None:
        return types.ForumTopicDeleted(topic_id)
    account_id, key, reading = context.account.id, (channel.peer_id, topic.id), context.state.reading
    return types.ForumTopic(
        id=topic.id,
        date=topic.created_at,
        peer=plain_peer(channel.peer_id),
        title=topic.title,
        icon_color=TOPIC_COLOUR,
        top_message=context.state.store.box(channel.peer_id).threads[topic.id].newest,
        read_inbox_max_id=reading.topic_mark(account_id, *key),
        read_outbox_max_id=0,
        unread_count=reading.unread_in_topic(account_id, *key),
        unread_mentions_count=0,
        unread_reactions_count=0,
        unread_poll_votes_count=0,
        from_id=plain_peer(topic.creator_id),
        notify_settings=settings_of(context.state, account_id, channel.peer_id),
        my=topic.creator_id == account_id,
    )


METHODS: Methods = {
    functions.messages.GetForumTopicsByIDRequest: get_forum_topics_by_id,
    functions.messages.GetRepliesRequest: get_replies,
}
