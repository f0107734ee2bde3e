# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# (Telethon's TL classes carry no complete types.)
"""The Telegram requests of one account's feed: its state, differences, and pages of older messages.

Answers hold only chats that the owner's settings let in. Imported only when the identity is on, since the library is
large.
"""

from datetime import UTC, datetime
from typing import Any

from telethon import functions, types, utils

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.integration import (
    CallProbe,
    Idempotency,
    IntegrationCall,
    Method,
    RawAnswer,
    ResultProvenance,
    auth_answer,
    method,
)
from modules.telegram.address import Address
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.feed_records import (
    FEED_CHANNEL,
    FEED_DIALOGS,
    FEED_DIALOGS_OF,
    FEED_DIFFERENCE,
    FEED_HISTORY,
    FEED_MUTES,
    FEED_STATE,
    PAGE,
    Ask,
    AskChannel,
    AskDialogs,
    AskDialogsOf,
    AskDifference,
    AskHistory,
    ChannelDifference,
    DialogsOffset,
    DialogsPage,
    Difference,
    HistoryPage,
    Mutes,
    Place,
    State,
)
from modules.telegram.integration_client_connection import ClientConnection
from modules.telegram.integration_client_feed_news import Reader


class TelegramFeedApi(BaseIntegration):
    """The feed's reading methods, on the connection shared with the account's other methods."""

    provider = "telegram_client"

    def __init__(self, connection: ClientConnection, feed_filter: FeedFilter, probe: CallProbe | None = None) -> None:
        self._connection = connection
        self._filter = feed_filter
        super().__init__(probe)

    def methods(self) -> list[Method]:
        read = Idempotency.READ
        return [
            method(FEED_STATE, args=Ask, answer=State, run=self._raw_state, idempotency=read),
            method(FEED_DIFFERENCE, args=AskDifference, answer=Difference, run=self._raw_difference, idempotency=read),
            method(FEED_CHANNEL, args=AskChannel, answer=ChannelDifference, run=self._raw_channel, idempotency=read),
            method(FEED_MUTES, args=Ask, answer=Mutes, run=self._raw_mutes, idempotency=read),
            method(FEED_DIALOGS, args=AskDialogs, answer=DialogsPage, run=self._raw_dialogs, idempotency=read),
            method(FEED_DIALOGS_OF, args=AskDialogsOf, answer=DialogsPage, run=self._raw_dialogs_of, idempotency=read),
            method(FEED_HISTORY, args=AskHistory, answer=HistoryPage, run=self._raw_history, idempotency=read),
        ]

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth_status", FEED_STATE)
        error = result.error
        if error is None:
            return auth_answer(None, self._connection.account, detail="updates can be read")
        return auth_answer(error, todo=error.message)

    async def _raw_state(self, _call: IntegrationCall, _args: Ask) -> RawAnswer:
        me, state = await self._ask(functions.updates.GetStateRequest())
        return _answer(State(user_id=me, pts=state.pts, qts=state.qts, date=_seconds(state.date)), "state")

    async def _raw_difference(self, _call: IntegrationCall, args: AskDifference) -> RawAnswer:
        request = functions.updates.GetDifferenceRequest(args.pts, datetime.fromtimestamp(args.date, UTC), args.qts)
        me, answer = await self._ask(request)
        stands = args.model_dump()
        match answer:
            case types.updates.DifferenceEmpty():
                stands["date"] = _seconds(answer.date)
                difference = Difference(user_id=me, outcome="nothing", **stands)
            case types.updates.DifferenceTooLong():
                stands["pts"] = answer.pts
                difference = Difference(user_id=me, outcome="too_long", **stands)
            case _:
                is_part = isinstance(answer, types.updates.DifferenceSlice)
                state = answer.intermediate_state if is_part else answer.state
                reader = Reader(answer, self._connection.account, me, self._filter)
                difference = Difference(
                    user_id=me,
                    outcome="part" if is_part else "all",
                    pts=state.pts,
                    qts=state.qts,
                    date=_seconds(state.date),
                    news=reader.news(answer.new_messages, answer.other_updates),
                )
        return _answer(difference, "difference")

    async def _raw_channel(self, _call: IntegrationCall, args: AskChannel) -> RawAnswer:
        channel_id, _ = utils.resolve_id(args.place.chat)
        request = functions.updates.GetChannelDifferenceRequest(
            types.InputChannel(channel_id, args.place.access_hash),
            types.ChannelMessagesFilterEmpty(),
            args.pts,
            PAGE,
            force=True,
        )
        me, answer = await self._ask(request)
        final = bool(answer.final)
        if isinstance(answer, types.updates.ChannelDifferenceEmpty):
            difference = ChannelDifference(user_id=me, outcome="news", final=final, pts=answer.pts)
            return _answer(difference, str(Address(args.place.chat)))
        reader = Reader(answer, self._connection.account, me, self._filter)
        if isinstance(answer, types.updates.ChannelDifferenceTooLong):
            dialog = reader.dialog(answer.dialog)
            news = reader.news(answer.messages, [], channel=args.place.chat)
            difference = ChannelDifference(
                user_id=me, outcome="too_long", final=final, pts=dialog.pts, news=news, dialog=dialog
            )
        else:
            news = reader.news(answer.new_messages, answer.other_updates, channel=args.place.chat)
            difference = ChannelDifference(user_id=me, outcome="news", final=final, pts=answer.pts, news=news)
        return _answer(difference, str(Address(args.place.chat)))

    async def _raw_mutes(self, _call: IntegrationCall, _args: Ask) -> RawAnswer:
        kinds = {
            "people": types.InputNotifyUsers(),
            "groups": types.InputNotifyChats(),
            "channels": types.InputNotifyBroadcasts(),
        }
        until: dict[str, Any] = {}
        for kind, peer in kinds.items():
            me, found = await self._ask(functions.account.GetNotifySettingsRequest(peer))
            until |= {kind: found.mute_until, "user_id": me}
        return _answer(Mutes(**until), "mutes")

    async def _raw_dialogs(self, _call: IntegrationCall, args: AskDialogs) -> RawAnswer:
        after = args.after
        request = functions.messages.GetDialogsRequest(
            offset_date=datetime.fromtimestamp(after.date, UTC) if after else None,
            offset_id=after.message_id if after else 0,
            offset_peer=_input_peer(after.place) if after else types.InputPeerEmpty(),
            limit=PAGE,
            hash=0,
            # Pinned dialogs lead the first page, however old their newest message is.
            exclude_pinned=after is not None,
        )
        me, answer = await self._ask(request)
        return _answer(self._listed(me, answer, paged=True), "dialogs")

    async def _raw_dialogs_of(self, _call: IntegrationCall, args: AskDialogsOf) -> RawAnswer:
        peers: list[Any] = [types.InputDialogPeer(_input_peer(place)) for place in args.places]
        me, answer = await self._ask(functions.messages.GetPeerDialogsRequest(peers))
        return _answer(self._listed(me, answer, paged=False), "dialogs")

    def _listed(self, me: int, answer: Any, *, paged: bool) -> DialogsPage:
        reader = Reader(answer, self._connection.account, me, self._filter)
        listed = [dialog for dialog in answer.dialogs if isinstance(dialog, types.Dialog)]
        out = {chat for dialog in listed if reader.leaves_out(chat := utils.get_peer_id(dialog.peer))}
        return DialogsPage(
            user_id=me,
            dialogs=tuple(reader.dialog(dialog) for dialog in listed if utils.get_peer_id(dialog.peer) not in out),
            messages=reader.messages(answer.messages),
            moves=reader.moves,
            left_out=tuple(sorted(out)),
            after=_after(answer, listed, reader) if paged else None,
        )

    async def _raw_history(self, _call: IntegrationCall, args: AskHistory) -> RawAnswer:
        request = functions.messages.GetHistoryRequest(
            peer=_input_peer(args.place),
            offset_id=args.before,
            offset_date=None,
            add_offset=0,
            limit=args.limit,
            max_id=0,
            min_id=args.after,
            hash=0,
        )
        me, answer = await self._ask(request)
        reader = Reader(answer, self._connection.account, me, self._filter)
        between = [message for message in answer.messages if args.after < message.id < args.before]
        lowest = min((message.id for message in between), default=0)
        # A short page of a channel is not the last: Telegram omits messages that may not be shown in a country.
        short = len(answer.messages) < args.limit and not isinstance(request.peer, types.InputPeerChannel)
        finished = short or not between or lowest <= args.after + 1
        page = HistoryPage(user_id=me, messages=reader.messages(between), lowest=lowest, finished=finished)
        return _answer(page, str(Address(args.place.chat)))

    async def _ask(self, request: Any) -> tuple[int, Any]:
        """Return the account's id and the answer."""

        async def ask(client: Any) -> tuple[int, Any]:
            answer = await client(request)
            if not client.self_id:
                raise IntegrationFault(IntegrationErrorCode.UNAVAILABLE, "Telegram did not say whose account this is")
            return client.self_id, answer

        return await self._connection.run(ask)


def _after(answer: Any, listed: list[Any], reader: Reader) -> DialogsOffset | None:
    """Return the offset of the next page: the last dialog whose newest message is known."""
    if not isinstance(answer, types.messages.DialogsSlice) or len(answer.dialogs) < PAGE:
        return None
    newest = {(utils.get_peer_id(message.peer_id), message.id): message for message in answer.messages}
    for dialog in reversed(listed):
        chat = utils.get_peer_id(dialog.peer)
        message = newest.get((chat, dialog.top_message))
        if date := getattr(message, "date", None):
            place = Place(chat=chat, access_hash=reader.cast.glimpse(chat).access_hash)
            return DialogsOffset(date=_seconds(date), message_id=dialog.top_message, place=place)
    return None


def _input_peer(place: Place) -> Any:
    real_id, kind = utils.resolve_id(place.chat)
    if kind is types.PeerChat:
        return types.InputPeerChat(real_id)
    if kind is types.PeerChannel:
        return types.InputPeerChannel(real_id, place.access_hash)
    return types.InputPeerUser(real_id, place.access_hash)


def _seconds(date: datetime | None) -> int:
    return int(date.timestamp()) if date else 0


def _answer(record: Any, source_ref: str) -> RawAnswer:
    return RawAnswer(
        record.model_dump(mode="python"), provenance=ResultProvenance(source_type="telegram", source_ref=source_ref)
    )
