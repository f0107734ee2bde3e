"""The arguments and answers of LiveKit's methods, whose schemas the adapter's contract publishes."""

from typing import Annotated

from pydantic import AwareDatetime, Field

from butler.contract.records import ClosedRecord
from modules.livekit.config import LONGEST_LINK_MINUTES

CREATE_ROOM = "livekit.rooms.create_room.v1"
JOIN_ROOM = "livekit.rooms.join_room.v1"
LIST_ROOMS = "livekit.rooms.list_rooms.v1"

RoomName = Annotated[str, Field(min_length=1, max_length=128, description="the room's name, exactly")]
Minutes = Annotated[int, Field(ge=1, le=LONGEST_LINK_MINUTES)]


class CreateRoomArgs(ClosedRecord):
    """A room to be opened; one that is there already stays as it is."""

    name: RoomName
    empty_timeout_s: int = Field(default=7_200, ge=60, le=86_400, description="how long it stays with nobody in it")
    max_participants: int = Field(default=10, ge=2, le=100, description="how many people it takes")


class Room(ClosedRecord):
    """A room that is open."""

    room: str = Field(description="the room's name")
    sid: str = Field(description="the server's own id of it")
    created_at: AwareDatetime
    empty_timeout_s: int
    max_participants: int = Field(description="0 where there is no limit")


class JoinRoomArgs(ClosedRecord):
    """Somebody to be let into a room that is open."""

    room: RoomName
    name: str = Field(min_length=1, max_length=100, description="what the others in the room see this person called")
    identity: str = Field(
        default="", max_length=128, description="who they are to the server, at most once in the room; made up if empty"
    )
    minutes: Minutes = Field(default=120, description="how long the link lets them in")
    listen_only: bool = Field(default=False, description="whether they only hear and see the others")


class JoinLink(ClosedRecord):
    """What lets one person into a room: whoever has the link is that person."""

    room: str
    identity: str
    name: str
    link: str = Field(description="a credential: for this person only")
    expires_at: AwareDatetime


class ListRoomsArgs(ClosedRecord):
    """Which rooms; those of these names that are open."""

    names: tuple[RoomName, ...] = Field(min_length=1, max_length=50)


class Rooms(ClosedRecord):
    """The rooms that are open."""

    rooms: tuple[Room, ...]
