"""A call as it was shown: arguments as canonical JSON with their hash, and a digest of the tool's contract.

Nothing is rebuilt between approval and act: the executor parses these very bytes, and refuses if they, the tool's
contract or the content of the card have changed. Judging, showing and comparing always use the stored bytes, never the
arguments as given, whose order of keys is up to the caller.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from approvals.preview import NO_WORDS, NoWordsError, preview_of
from butler.contract.errors import Refuse
from butler.contract.speech import phrase
from butler.contract.tools import ToolSpec
from butler.neutral import neutral
from butler.provenance import Labels, join


class ChangedSinceShownError(Refuse):
    """What would be done now is no longer what was shown."""


@dataclass(frozen=True, slots=True)
class FrozenCall:
    """A tool with its arguments. `args` is canonical JSON, the very bytes behind `args_sha256` (hex)."""

    tool: str
    args: str
    args_sha256: str
    contract_digest: str
    not_before: datetime | None = None
    """The time of the act that is shown; None if it is done immediately."""


def canonical(value: Any) -> str:
    """Return JSON with sorted keys and no spaces, characters as they are given (no normalisation).

    Raises `ValueError` for values without such a form: NaN, infinity, half of a surrogate pair.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    text.encode()
    return text


def sha256(text: str) -> str:
    """Return the SHA-256 of the text's UTF-8, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def freeze(spec: ToolSpec, args: BaseModel, not_before: datetime | None = None) -> FrozenCall:
    """Freeze a call with all of its arguments, defaults included.

    Raises `ValueError` as `canonical` does, and for arguments that change when stored and read again; `NoWordsError` if
    the tool cannot say what it would do.
    """
    text = canonical(args.model_dump(mode="json"))
    stored = _parsed(spec, text)
    if canonical(stored.model_dump(mode="json")) != text:
        raise ValueError(f"arguments of {spec.tool_name} change when they are stored")
    digest = contract_digest(spec, stored, not_before)
    return FrozenCall(spec.tool_name, text, sha256(text), digest, not_before)


def as_sent(spec: ToolSpec, args: Mapping[str, Any], origins: Mapping[str, Labels]) -> BaseModel:
    """Return the arguments as they will be sent: only these are judged, shown and frozen.

    Raises `ValidationError`.
    """
    given = spec.args.model_validate(args)
    return given if spec.as_sent is None else spec.as_sent(given, join(origins.values()))


def stored_args(spec: ToolSpec, frozen: FrozenCall) -> BaseModel:
    """Return the arguments that a newly frozen call holds: these are judged, shown and called with."""
    return _parsed(spec, frozen.args)


def _parsed(spec: ToolSpec, text: str) -> BaseModel:
    return spec.args.model_validate(json.loads(text))


def contract_digest(spec: ToolSpec, args: BaseModel, not_before: datetime | None = None) -> str:
    """Return the SHA-256 over what executes the call and when, and over what a card shows of the call itself.

    The language, the zone and the time of drawing change the words of a card but not the call.
    """
    with neutral():
        shown = asdict(preview_of(spec, args))
    del shown["passing"]
    shown["recipients"] = [recipient.model_dump() for recipient in shown["recipients"]]
    shown["attachments"] = [attachment.model_dump() for attachment in shown["attachments"]]
    return sha256(
        canonical(
            {
                "tool": spec.tool_name,
                "mode": spec.execution_mode.value,
                "adapter": [spec.adapter_id, spec.adapter_operation, spec.adapter_contract_version],
                "shown": shown,
                **({"not_before": not_before.astimezone(UTC).isoformat()} if not_before else {}),
            }
        )
    )


def thaw(spec: ToolSpec, frozen: FrozenCall) -> BaseModel:
    """Return the arguments to call with; raise `ChangedSinceShownError` if anything differs from what was frozen."""
    if sha256(frozen.args) != frozen.args_sha256:
        raise ChangedSinceShownError(phrase("the stored arguments were changed"))
    try:
        args = _parsed(spec, frozen.args)
        again = freeze(spec, args, frozen.not_before)
    except NoWordsError as error:
        raise ChangedSinceShownError(NO_WORDS) from error
    except (ValidationError, ValueError) as error:
        raise ChangedSinceShownError(phrase("the tool no longer takes these arguments")) from error
    if again != frozen:
        raise ChangedSinceShownError(phrase("the tool has changed"))
    return args
