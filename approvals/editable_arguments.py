"""Finds the arguments of a tool that the owner may change on a card: by their roles and types, not by tool names."""

from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin

from butler.contract.tools import ArgRole, Attachment, Recipient, ToolMetadata, ToolSpec

TEXTS = ("text", "body")
SUBJECT = "subject"
FIRST = "to"


@dataclass(frozen=True, slots=True)
class EditableArguments:
    """The names of these arguments; empty if the tool has none of that kind."""

    text: str = ""
    subject: str = ""
    recipients: str = ""
    """Also empty if the call is an answer: it goes to the author of the message."""
    attachments: str = ""
    many: bool = False
    """Whether there may be several recipients."""
    bare: bool = False
    """Whether a recipient is only an address."""
    answers: bool = False


def parts_of(spec: ToolSpec, metadata: ToolMetadata) -> EditableArguments:
    """Find these arguments among those of a tool."""
    kinds = {name: _kind(field.annotation) for name, field in spec.args.model_fields.items()}
    roles = metadata.args
    contents = [name for name, role in roles.items() if role is ArgRole.CONTENT]
    texts = [name for name in contents if kinds[name] == (str, False)]
    files = [name for name in contents if kinds[name] == (Attachment, True)]
    people = sorted((name for name, role in roles.items() if role is ArgRole.RECIPIENT), key=lambda name: name != FIRST)
    answers = ArgRole.TARGET in roles.values()
    to = people[0] if people and not answers else ""
    element, many = kinds[to] if to else (Recipient, False)
    return EditableArguments(
        text=next((name for name in texts if name in TEXTS), ""),
        subject=SUBJECT if SUBJECT in texts else "",
        recipients=to,
        attachments=files[0] if files else "",
        many=many,
        bare=element is str,
        answers=answers,
    )


def _kind(annotation: Any) -> tuple[Any, bool]:
    """Return the type of an argument, or of its members, and whether it takes several."""
    bare = _plain(annotation)
    return (_plain(get_args(bare)[0]), True) if get_origin(bare) is tuple else (bare, False)


def _plain(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
