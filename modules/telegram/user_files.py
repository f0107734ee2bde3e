"""Sends files as the owner: JPEG and PNG pictures as photos, as any Telegram app does, all others unchanged."""

from collections.abc import Sequence

from butler.contract.tools import Attachment

MOST_IN_ALBUM = 10
LARGEST_FILE = 2_000 * 1024 * 1024
_LARGEST_PHOTO = 10_000_000
_PICTURES = frozenset({"image/jpeg", "image/png"})


def as_photos(attachments: Sequence[Attachment]) -> bool:
    """Return whether to send the files as photos, which Telegram scales down: only if all of them are pictures."""
    return bool(attachments) and all(
        attachment.media_type in _PICTURES and attachment.size <= _LARGEST_PHOTO for attachment in attachments
    )
