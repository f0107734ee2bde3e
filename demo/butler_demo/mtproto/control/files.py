# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The control surface for files that others send."""

from collections.abc import Sequence
from typing import Any

from telethon.tl import types

from butler_demo.mtproto.control.base import Control
from butler_demo.mtproto.records import Media


class FileControl(Control):
    """What messages carry."""

    def add_file(
        self,
        data: bytes,
        name: str | None = None,
        *,
        mime_type: str = "application/octet-stream",
        is_photo: bool = False,
        attributes: Sequence[Any] = (),
    ) -> Media:
        """Keep a file for `inject`; `attributes` are TL objects beside the one for the name.

        A photo has neither a name nor attributes.
        """
        if is_photo:
            return self._state.files.add(data, is_photo=True, mime_type="image/jpeg")
        named: list[Any] = [types.DocumentAttributeFilename(name)] if name else []
        return self._state.files.add(data, mime_type=mime_type, attributes=[*attributes, *named], name=name)

    def read_file(self, media: Media) -> bytes:
        """The bytes of a file, whoever sent it."""
        return self._state.files.read(media.file_id, 0, media.size)
