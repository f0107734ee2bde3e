"""Fetches the files to attach to a mail."""

from collections.abc import Sequence

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.ports import BlobStore
from butler.contract.speech import say
from butler.contract.tools import Attachment


async def attached(attachments: Sequence[Attachment], blobs: BlobStore) -> tuple[tuple[Attachment, bytes], ...]:
    """Return attachments with their bytes; raise a fault if one no longer exists."""
    found: list[tuple[Attachment, bytes]] = []
    for attachment in attachments:
        try:
            found.append((attachment, await blobs.get(attachment.sha256)))
        except KeyError as error:
            message = say("the file {file!r} is not there any more", file=attachment.name)
            raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, message) from error
    return tuple(found)
