"""`butler mail inspect`: how the butler reads a mail and why, for people or programs."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

from approvals.reason_words import all_in_words, in_words
from butler.cli.mail.items import MemoryBlobs, mail_items
from butler.cli.mail.scene import Scene
from butler.cli.mail.words import problems, why_unread
from butler.contract.errors import Refuse
from butler.contract.inbound import Inbound
from butler.contract.mail import MailFacts
from butler.contract.reasons import load_reasons

NOBODY = "nobody@invalid"
_JUST_NOW = timedelta(minutes=5)
"""How long ago a mail in a file arrived, so that unanswered DNS is not waited for."""


def inspect_mails(files: Sequence[Path], scene: Scene, *, as_json: bool) -> None:
    """Print the analysis of each mail; raise `Refuse` for an unreadable file."""
    asyncio.run(_inspect(files, scene, as_json=as_json))


async def _inspect(files: Sequence[Path], scene: Scene, *, as_json: bool) -> None:
    from butler.cli.mail.view import show  # noqa: PLC0415 - rich, only for people
    from modules.email.inbound import Place  # noqa: PLC0415 - heavy

    lookup = scene.lookup if scene.txt is not None else None
    async with mail_items(scene.settings, scene.owner, scene.now, MemoryBlobs(), lookup) as items:
        for number, file in enumerate(files, 1):
            try:
                raw = await asyncio.to_thread(file.read_bytes)
            except OSError as error:
                raise Refuse(f"{file} cannot be read: {error.strerror}") from None
            place = Place(scene.butler or NOBODY, 1, number, scene.now - _JUST_NOW)
            item = await items.make(place, raw)
            if as_json:
                # A line of JSON must be text on any terminal: a lone surrogate stays an escape.
                line = json.dumps({"file": str(file), **as_data(item, scene)}, ensure_ascii=False)
                print(line.encode(errors="backslashreplace").decode(), flush=True)
            else:
                show(file, item, command_authority(item, scene), scene)


def as_data(item: Inbound, scene: Scene) -> dict[str, Any]:
    """Return the analysis for programs."""
    facts = item.mail or MailFacts()
    command, reason = command_authority(item, scene)
    forwarded = facts.forwarded
    return {
        "from": item.payload["from"],
        "from_name": item.sender_name,
        "subject": item.payload["subject"],
        "date": item.payload["date"],
        "text": item.text,
        "words": facts.words,
        "command": facts.command,
        "quotes": facts.quotes,
        "forwarded": None
        if forwarded is None
        else {
            "from": forwarded.sender.address if forwarded.sender else "",
            "from_name": forwarded.sender.name if forwarded.sender else "",
            "subject": forwarded.subject,
            "date": forwarded.sent_at.isoformat() if forwarded.sent_at else forwarded.date,
            "text": forwarded.text,
        },
        "attachments": [
            {"name": file.name, "size": file.size, "sha256": file.sha256, "type": file.media_type}
            for file in item.attachments
        ],
        "category": facts.kind.value,
        "topics": [topic.value for topic in facts.topics],
        "answerable": facts.answerable,
        "why_not_answerable": in_words(facts.why_not) if facts.why_not else "",
        "command_authority": command,
        "reason": reason,
        "problems": [*problems(item), *filter(None, [why_unread(item)])],
    }


def command_authority(item: Inbound, scene: Scene) -> tuple[bool, str]:
    """Return whether the butler would take orders from this mail, and why or why not."""
    if not scene.owner:
        return False, "no address of yours is known: say --owner, or give your settings by --config"
    if not scene.butler:
        return False, "the butler's address is not known: say --butler, or give your settings by --config"
    if why := why_unread(item):
        return False, why
    authority = cast("Mapping[str, Any]", item.payload.get("authority") or {})
    if not authority:
        return False, "it is not from an address of yours"
    return authority["command"] is True, all_in_words(load_reasons(authority["why"]))
