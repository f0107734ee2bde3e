"""How files go out as the person: JPEG and PNG pictures as photos, as from any Telegram app, all others as they are."""

from collections.abc import Sequence

from butler.contract.tools import Attachment

MOST_IN_ALBUM = 10
LARGEST_FILE = 2_000 * 1024 * 1024
_LARGEST_PHOTO = 10_000_000
_PICTURES = frozenset({"image/jpeg", "image/png"})


def as_photos(attachments: Sequence[Attachment]) -> bool:
    """Whether they go out as photos, which Telegram makes smaller: only where all of them are pictures."""
    return bool(attachments) and all(
        attachment.media_type in _PICTURES and attachment.size <= _LARGEST_PHOTO for attachment in attachments
    )
