"""Renders a stored file with a link to it. Whoever has a link can fetch the file, so it is hidden behind words."""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.card import Rich, Span, Style
from butler.contract.found_items import time_of
from butler.contract.shown_text import cut
from butler.contract.speech import say, say_number, say_short_moment
from modules._remote.found_text import LONGEST_NAME


def stored_text(data: Mapping[str, Any], zone: ZoneInfo) -> Rich:
    """Return a confirmation that a file was stored, and the file."""
    return (Span(text=f"✅ {say('The file is in your storage:')} "), *file_text(data, zone))


def file_text(data: Mapping[str, Any], zone: ZoneInfo) -> Rich:
    """Return a file's name and size, and its link with its expiry."""
    name, size = cut(str(data.get("key") or ""), LONGEST_NAME), data.get("size")
    text = say("{count} bytes", count=say_number(size)) if isinstance(size, int) else ""
    spans = [Span(text=name, style=Style.CODE), Span(text=f" ({text})" if text else "")]
    link = str(data.get("link") or "")
    if link.startswith(("https://", "http://")):
        spans += [Span(text="\n"), Span(text=say("Open the file"), style=Style.LINK, url=link)]
        if (ends := time_of(data.get("link_expires_at"))) is not None:
            when = say_short_moment(ends.astimezone(zone))
            spans.append(Span(text="\n" + say("The link holds until {when}; whoever has it can fetch it.", when=when)))
    return tuple(span for span in spans if span.text)
