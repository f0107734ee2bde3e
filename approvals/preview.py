"""Builds the preview of a call: the tool's own, and each argument that it leaves out.

The account is not included: the card shows whom a call acts as, and through which account.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import structlog
from pydantic import BaseModel

from approvals.accounts import without_settled
from approvals.arguments import left_out_label
from butler.contract.errors import Refuse
from butler.contract.speech import phrase
from butler.contract.tools import Preview, ToolSpec
from butler.tool_invoker import ToolInvoker, UnknownToolError

log = structlog.get_logger(__name__)

Facts = tuple[tuple[str, str], ...]


NO_WORDS = phrase("what it would do cannot be put into words")


class NoWordsError(Refuse):
    """A tool could not say what it would do."""


def preview_of(spec: ToolSpec, args: BaseModel) -> Preview:
    """Return the tool's preview; a tool without one (only inputs may lack it) is shown with its bare arguments.

    Raises `NoWordsError` if the tool's own preview fails.
    """
    if spec.preview is not None:
        try:
            return spec.preview(args)
        except Exception as error:
            log.warning("preview_failed", tool=spec.tool_name, kind=type(error).__name__)
            raise NoWordsError(NO_WORDS) from error
    shown = without_settled(args.model_dump(mode="json"), said=bool(spec.accounts))
    return bare_preview(spec.description, shown, spec.tool_name)


def has_words(spec: ToolSpec, args: BaseModel) -> bool:
    """Return whether a card shows what a call would do, not only what it contains.

    A tool without a preview is shown by its description and its arguments line by line. That suffices unless an
    argument is a mapping: somebody else chose its keys, which mean nothing without the tool's own words.
    """
    return spec.preview is not None or not any(map(_is_mapped, args.model_dump(mode="json").values()))


def _is_mapped(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_is_mapped, value))  # pyright: ignore[reportUnknownArgumentType] - parsed JSON
    return isinstance(value, Mapping) and bool(value)  # pyright: ignore[reportUnknownArgumentType] - parsed JSON


def is_listed(invoker: ToolInvoker, tool: str) -> bool:
    """Return whether a card of this tool is about items listed for it; False for a tool that no longer exists."""
    try:
        return invoker.spec(tool).lists
    except UnknownToolError:
        return False


def bare_preview(effect: str, args: Mapping[str, Any], tool: str) -> Preview:
    """Show a call by its arguments alone."""
    return Preview(effect=effect, facts=tuple((left_out_label(path, tool), value) for path, value in _leaves(args)))


def left_out(preview: Preview, args: Mapping[str, Any]) -> Facts:
    """Return the arguments that the preview neither words nor contains: a card hides none of them.

    Only a whole value counts as shown, not one that merely occurs within a longer text.
    """
    shown = set(_shown(preview))
    rest = {name: value for name, value in args.items() if name not in preview.told}
    return tuple((path, text) for path, text in _leaves(rest) if text not in shown)


def _shown(preview: Preview) -> Iterator[str]:
    yield from (preview.subject, preview.body)
    for recipient in preview.recipients:
        yield from (recipient.address, recipient.address.partition(":")[2], recipient.name)
    for attachment in preview.attachments:
        yield from (attachment.name, str(attachment.size), attachment.sha256, attachment.media_type)
    yield from (value for _, value in preview.facts)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each single value with its path; empty values are left out."""
    if isinstance(value, Mapping):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType] - parsed JSON
            yield from _leaves(inner, f"{path} {key}".strip())
    elif isinstance(value, list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType] - parsed JSON
            yield from _leaves(inner, path)
    elif isinstance(value, str):
        if value:
            yield path, value
    elif value is not None and value is not False:
        yield path, json.dumps(value)
