"""Files as arguments: a tool that takes a file gets the file of a handle as it came in, with name and size.

A tool that only reads a file takes its digest, which is the handle's key.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast, get_args

import sqlalchemy as sa

from butler.contract.agents import PlanStep
from butler.contract.provenance import Labelled, Origin, SourceKind, SourceName, Trust
from butler.contract.reasons import in_own_words
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase
from butler.contract.tools import Attachment, ToolSpec
from butler.orchestrator.results.outcomes import StepRefusedError
from butler.store.conversation import Referent
from butler.store.queries import inbox

Files = Mapping[str, Labelled[Attachment]]
"""Files by their digest."""


class NoSuchFileError(StepRefusedError):
    """The file that a step refers to is not known as it was sent."""


def takes_files(spec: ToolSpec, name: str) -> bool:
    """Return whether an argument is a file, or several."""
    field = spec.args.model_fields.get(name)
    return field is not None and _has_file(field.annotation)


def _has_file(annotation: Any) -> bool:
    return annotation is Attachment or any(_has_file(one) for one in get_args(annotation))


def files_of(
    connection: sa.Connection, step: PlanStep, spec: ToolSpec, referents: Mapping[str, Referent]
) -> dict[str, Labelled[Attachment]]:
    """Return the files, as they came in, that a step's arguments refer to by handle."""
    handles = [handle for name, value in step.args.items() if takes_files(spec, name) for handle in _handles(value)]
    found = [referents[handle] for handle in handles if handle in referents]
    digests = {one.key for one in found if one.kind is ReferentKind.FILE}
    return {file.sha256: _labelled(file) for file in inbox.files(connection, digests)} if digests else {}


def _handles(value: Any) -> Iterator[str]:
    for one in cast("list[Any]", value) if isinstance(value, list) else [value]:
        if isinstance(one, dict) and isinstance(handle := cast("dict[str, Any]", one).get("handle"), str):
            yield handle


def _labelled(file: Attachment) -> Labelled[Attachment]:
    """Label a file as a stranger's: its content may be anybody's, whoever sent it."""
    shown_as = SourceName(kind=SourceKind.FILE, name=" ".join(file.name.split()))
    return Labelled(
        value=file,
        origins=frozenset({Origin(trust=Trust.UNTRUSTED, source=f"file:{file.sha256}", shown_as=shown_as)}),
    )


def with_files(value: Any, files: Files) -> tuple[Any, frozenset[Origin]]:
    """Return an argument with files in place of digests, and their labels; raise `NoSuchFileError`."""
    if isinstance(value, str):
        if value not in files:
            raise NoSuchFileError(
                in_own_words(phrase("I do not have that file as it was sent; send it to me here, and ask again"))
            )
        return files[value].value.model_dump(mode="json"), files[value].origins
    if not isinstance(value, Sequence):
        return value, frozenset()
    each = [with_files(one, files) for one in cast("Sequence[Any]", value)]
    return [one for one, _ in each], frozenset(origin for _, origins in each for origin in origins)
