"""Push channels: what a client subscribed to, and the notices that would be posted to it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from butler_demo.google.call import Json
from butler_demo.google.errors import GoogleError

_USUAL_LIFE = timedelta(days=7)
_LONGEST_LIFE = timedelta(days=30)


@dataclass(frozen=True)
class Push:
    """One notice to a channel's address; `state` is sync for the first one, exists or change for a change."""

    channel_id: str
    address: str
    token: str
    resource_id: str
    state: str
    number: int


@dataclass
class Channel:
    """An open channel on one thing that changes: a calendar, or all files of an account."""

    id: str
    address: str
    token: str
    resource_id: str
    thing: str
    ends: datetime
    pushes: int = 0


class Channels:
    """All channels of a server; `listen` is called for each notice."""

    def __init__(self) -> None:
        self.listen: Callable[[Push], None] | None = None
        self._open: dict[str, Channel] = {}

    def watch(self, body: Json, thing: str, uri: str, now: datetime) -> Json:
        """Open a channel. Raises GoogleError 400."""
        channel_id, address = str(body.get("id") or ""), str(body.get("address") or "")
        if not channel_id or body.get("type") not in ("web_hook", "webhook"):
            raise GoogleError(400, "required", "Required: id and type")
        if not address.startswith("https://"):
            message = f"WebHook callback must be HTTPS: {address}"
            raise GoogleError(400, "push.webhookUrlNotHttps", message)
        if channel_id in self._open and self._open[channel_id].ends > now:
            raise GoogleError(400, "channelIdNotUnique", f"Channel id {channel_id} not unique")
        ends = now + _USUAL_LIFE
        if asked := body.get("expiration"):
            ends = min(datetime.fromtimestamp(int(asked) / 1000, now.tzinfo), now + _LONGEST_LIFE)
        channel = Channel(channel_id, address, str(body.get("token") or ""), f"r-{thing}", thing, ends)
        self._open[channel_id] = channel
        self._push(channel, "sync")
        answer = {"kind": "api#channel", "id": channel_id, "resourceId": channel.resource_id, "resourceUri": uri}
        token = {"token": channel.token} if channel.token else {}
        return answer | token | {"expiration": str(int(ends.timestamp() * 1000))}

    def stop(self, body: Json) -> None:
        """Close a channel. Raises GoogleError 404 for one that is not open."""
        channel = self._open.get(str(body.get("id") or ""))
        if channel is None or channel.resource_id != body.get("resourceId"):
            raise GoogleError(404, "notFound", f"Channel '{body.get('id')}' not found for project")
        del self._open[channel.id]

    def tell(self, thing: str, now: datetime, state: str = "exists") -> None:
        """Post a notice that something in it changed."""
        for channel in self.open_now(now):
            if channel.thing == thing:
                self._push(channel, state)

    def open_now(self, now: datetime) -> list[Channel]:
        """Those that have not ended, the oldest first."""
        return [channel for channel in self._open.values() if channel.ends > now]

    def _push(self, channel: Channel, state: str) -> None:
        channel.pushes += 1
        if self.listen:
            self.listen(Push(channel.id, channel.address, channel.token, channel.resource_id, state, channel.pushes))
