# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (Telethon's TL classes carry no complete types.)
"""Describes what a message carries besides its text: files by name, kind and size, and other media in words.

Nothing is fetched here. Media that disappear once viewed are named and never offered as a file.
"""

from dataclasses import dataclass
from typing import Any

from telethon import types

from butler.contract.mirror import SeenFile

_BARE = {"photo": "photo.jpg", "voice": "voice.ogg", "video": "video.mp4", "sticker": "sticker", "file": "file"}
_NOTHING_MORE = (types.MessageMediaEmpty, types.MessageMediaWebPage)


@dataclass(frozen=True, slots=True)
class MediaContent:
    """Files, words that stand for other media, and problems with what is not stored."""

    files: tuple[SeenFile, ...] = ()
    words: str = ""
    problems: tuple[str, ...] = ()


def carried(media: Any) -> MediaContent:  # noqa: PLR0911 - one per kind of media
    """Return the contents of a message's media; empty for None."""
    if media is None or isinstance(media, _NOTHING_MORE):
        return MediaContent()
    match media:
        case types.MessageMediaPhoto() | types.MessageMediaDocument():
            return _file(media)
        case types.MessageMediaContact():
            name = f"{media.first_name} {media.last_name}".strip()
            return MediaContent(words=f"Contact: {name}, {media.phone_number}")
        case types.MessageMediaVenue():
            return MediaContent(words=f"Place: {media.title}, {media.address}")
        case (
            types.MessageMediaGeo(geo=types.GeoPoint() as point)
            | types.MessageMediaGeoLive(geo=types.GeoPoint() as point)
        ):
            return MediaContent(words=f"Location: {point.lat:.5f}, {point.long:.5f}")
        case types.MessageMediaPoll():
            answers = " / ".join(answer.text.text for answer in media.poll.answers)
            return MediaContent(words=f"Poll: {media.poll.question.text} ({answers})")
        case types.MessageMediaDice():
            return MediaContent(words=f"{media.emoticon} {media.value}")
        case types.MessageMediaUnsupported():
            return MediaContent(problems=("something newer than this version reads",))
        case _:
            kind = type(media).__name__.removeprefix("MessageMedia").lower()
            return MediaContent(problems=(f"a {kind}, which is not read",))


def _file(media: Any) -> MediaContent:
    kind = "photo" if isinstance(media, types.MessageMediaPhoto) else _kind(getattr(media, "document", None))
    if media.ttl_seconds:
        return MediaContent(problems=(f"a {kind} that disappears once it was seen",))
    if isinstance(media, types.MessageMediaPhoto):
        if not isinstance(media.photo, types.Photo):
            return MediaContent(problems=("a photo that is no longer there",))
        size = max((_size(one) for one in media.photo.sizes), default=0)
        return MediaContent((SeenFile(name=_BARE["photo"], media_type="image/jpeg", size=size, kind="photo"),))
    if not isinstance(media.document, types.Document):
        return MediaContent(problems=("a file that is no longer there",))
    document = media.document
    name = _name(document) or _BARE[kind]
    return MediaContent((SeenFile(name=name, media_type=document.mime_type, size=document.size, kind=kind),))


def _kind(document: Any) -> str:
    kinds = [_of_attribute(attribute) for attribute in getattr(document, "attributes", ())]
    return next((kind for kind in ("sticker", "voice", "video") if kind in kinds), "file")


def _of_attribute(attribute: Any) -> str:
    match attribute:
        case types.DocumentAttributeSticker():
            return "sticker"
        case types.DocumentAttributeAudio(voice=True):
            return "voice"
        case types.DocumentAttributeVideo() | types.DocumentAttributeAnimated():
            return "video"
        case _:
            return ""


def _name(document: Any) -> str:
    sticker = ""
    for attribute in document.attributes:
        if isinstance(attribute, types.DocumentAttributeSticker):
            sticker = f"sticker {attribute.alt}".strip()
        elif isinstance(attribute, types.DocumentAttributeFilename) and not sticker:
            return attribute.file_name
    return sticker


def _size(size: Any) -> int:
    if isinstance(size, types.PhotoSizeProgressive):
        return max(size.sizes, default=0)
    return getattr(size, "size", 0)
