"""Reads and checks the automations in the owner's files; reports a fault in one sentence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import Field, ValidationError

from butler.contract.automations import Automation, Call
from butler.contract.errors import ConfigError
from butler.contract.records import ClosedRecord
from butler.contract.tools import ToolSpec
from config.automations import written
from config.load import Loaded, wrong_keys

BEGINS = "2020-01-01T00:00:00"
"""The start of a rule that does not name its own."""


class _File(ClosedRecord):
    automations: Annotated[tuple[Automation, ...], Field(max_length=200)] = ()


def written_ones(loaded: Loaded, tools: Iterable[ToolSpec]) -> Sequence[tuple[str, Automation]]:
    """Return all automations in files, each with the name of its file. Raise `ConfigError`."""
    known = {spec.tool_name: spec for spec in tools}
    zone = loaded.settings.butler.timezone
    return [(path.name, one) for path, raw in written(loaded).items() for one in checked(path, raw, zone, known)]


def checked(path: Path, raw: Mapping[str, Any], zone: str, known: Mapping[str, ToolSpec]) -> Sequence[Automation]:
    """Return the automations of one file, in `zone` unless they name one. Raise `ConfigError` that names the fault."""
    given = {**raw, "automations": [_with_clock(one, zone) for one in raw.get("automations", ())]}
    try:
        found = _File.model_validate(given).automations
    except ValidationError as error:
        raise ConfigError(f"{path}: {wrong_keys(error)}") from error
    names = [one.name for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"{path}: two automations are called “{twice}”; give each a name of its own")
    for one in found:
        for why in _misfits(one, known):
            raise ConfigError(f"{path}: “{one.name}”: {why}")
    return found


def _with_clock(one: Any, zone: str) -> Any:
    if not isinstance(one, Mapping):
        return one
    found = cast("Mapping[str, Any]", one)
    given = {"clock": {"zone": zone, "start": BEGINS}, "hours": {"zone": zone}, "until": {"zone": zone}}
    data = {name: cast("Mapping[str, Any]", found[name]) for name in given if isinstance(found.get(name), Mapping)}
    return {**found, **{name: {**given[name], **value} for name, value in data.items()}}


def _misfits(one: Automation, known: Mapping[str, ToolSpec]) -> Iterator[str]:
    for act in one.do:
        if not isinstance(act, Call):
            continue
        if (spec := known.get(act.call)) is None:
            yield f"there is no tool {act.call}; `butler tools` lists them"
            continue
        fields = spec.args.model_fields
        if unknown := next((name for name in act.args if name not in fields), None):
            yield f"{act.call} takes no {unknown}; it takes {', '.join(fields)}"
        needed = (name for name, field in fields.items() if field.is_required())
        if missing := next((name for name in needed if name not in act.args), ""):
            yield f"{act.call} needs {missing}"
