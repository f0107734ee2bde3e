"""Checks what the butler says to the owner on its way out: no secret of Butler's goes out, no link hides its host.

A text may be anybody's, or a language model's. A link under other words shows where it leads; what opens something is
left out, since a chat keeps it for good. If the check fails, the message goes out unchanged: only its owner sees it.
"""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import structlog

from butler.contract.card import OwnerMessage, Rich, Span, Style, rich_text
from butler.contract.speech import phrase, say
from butler.guardrails.guard import Guard, GuardrailsInput, GuardSpan
from butler.guardrails.kinds import API_KEY

log = structlog.get_logger(__name__)

LEFT_OUT = phrase("🔒 I left out what opens something. It stands where I read it.")
IN_ITS_PLACE = "[…]"


def looked_over(guard: Guard | None, message: OwnerMessage) -> OwnerMessage:
    """Return the message as it may go out."""
    text = _with_hosts(message.text)
    if guard is not None and (secrets := _secrets(guard, rich_text(text))):
        text = (*_without(text, secrets), Span(text=f"\n\n{say(LEFT_OUT)}"))
    return message if text == message.text else message.model_copy(update={"text": text})


def _with_hosts(text: Rich) -> Rich:
    return tuple(shown for span in text for shown in _with_host(span))


def _with_host(span: Span) -> Iterator[Span]:
    yield span
    host = (urlsplit(span.url).hostname or "") if span.style is Style.LINK and span.url else ""
    if host and host not in span.text.lower():
        yield Span(text=f" ({host})")


def _secrets(guard: Guard, text: str) -> Sequence[GuardSpan]:
    try:
        verdict = guard.check(GuardrailsInput(content=text, check_type="output_safety"))
    except Exception:  # only the owner reads it
        log.exception("guard_failed")
        return ()
    return [span for span in verdict.spans if span.type == API_KEY]


def _without(text: Rich, secrets: Sequence[GuardSpan]) -> Iterator[Span]:
    """Yield the spans without the secrets, which may cross spans."""
    at = 0
    for span in text:
        kept, end = span.text, at + len(span.text)
        for secret in reversed(secrets):
            start, stop = max(secret.start, at) - at, min(secret.end, end) - at
            if start < stop:
                mark = IN_ITS_PLACE if secret.start >= at else ""
                kept = f"{kept[:start]}{mark}{kept[stop:]}"
        at = end
        yield span.model_copy(update={"text": kept})
