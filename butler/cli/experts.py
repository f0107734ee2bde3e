"""List, show and check experts: implements `butler experts`."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from butler.contract.errors import Refuse
from butler.contract.provenance import Labelled, Origin
from butler.contract.tools import ToolSpec
from butler.offline import offline_registry
from butler.orchestrator.experts.building import SHIPPED, ExpertBuild, build_experts, own_folder
from butler.orchestrator.experts.errors import ExpertError, NoSuchToolError, NotInstalledError
from butler.orchestrator.experts.manifest import FILE
from butler.orchestrator.planning.plan_types import PlannerInput, owners
from config.load import check as check_settings
from config.load import read_toml
from config.settings import Settings


def list_experts(path: Path, *, as_json: bool) -> str:
    """Return a line for each expert. Raise `ExpertError`."""
    found = build_experts(_own(path)).all
    rows = [
        {
            "name": one.name,
            "title": one.title,
            "description": one.description,
            "topics": list(one.topics),
            "tools": [prompt.tool for prompt in one.tools],
            "blocked": list(one.blocked),
        }
        for one in found
    ]
    if as_json:
        return json.dumps(rows, indent=2, ensure_ascii=False)
    width = max((len(one.name) for one in found), default=0)
    return "\n".join(f"{one.name:<{width}}  {len(one.tools):>2} tools  {one.description}" for one in found)


def show_expert(path: Path, name: str) -> str:
    """Return what a model would be told in place of this expert. Raise `Refuse` and `ExpertError`."""
    from butler.orchestrator.planning.model_prompt import instructions, offered, tools_text  # noqa: PLC0415 - only models need it

    experts = build_experts(_own(path))
    expert = experts.called(name)
    if expert is None:
        raise Refuse(f"there is no expert {name!r}; there are {', '.join(one.name for one in experts.all)}")
    request = replace(_plain_request(_settings(path)), expert=expert)
    return f"{instructions(request)}\n\n{tools_text(request, offered(request))}"


def check_experts(path: Path) -> str:
    """Check the experts; return one line. Raise `ExpertError` that lists every fault."""
    own = _own(path)
    building = ExpertBuild()
    experts = building.of((SHIPPED, own) if own is not None else (SHIPPED,))
    faults = [*building.faults, *_differences(experts.installed)]
    if faults:
        raise ExpertError("; ".join(dict.fromkeys(map(str, faults))))
    return f"{len(experts.all)} experts can be built: {', '.join(one.name for one in experts.all)}."


def _settings(path: Path) -> Settings:
    """Return the settings, or the defaults if there is no configuration yet."""
    return check_settings(read_toml(path), path) if path.exists() else Settings()


def _own(path: Path) -> Path | None:
    return own_folder(_settings(path).experts.folder, path)


def _tools() -> tuple[ToolSpec, ...]:
    return tuple(offline_registry()[0].specs())


def _differences(installed: frozenset[str]) -> Iterator[ExpertError]:
    """Yield the differences between the installed tools and those of the modules."""
    known = {spec.tool_name for spec in _tools()}
    yield from (NoSuchToolError(f"{tool} in {SHIPPED / FILE}") for tool in sorted(installed - known))
    yield from (NotInstalledError(f"{tool} is not in {SHIPPED / FILE}") for tool in sorted(known - installed))


def _plain_request(settings: Settings) -> PlannerInput:
    """Return an empty request, for what all requests have in common."""
    origin = Origin.owner("cli")
    return PlannerInput(
        words=owners(Labelled(value="", origins=frozenset({origin}))),
        source_line="",
        tools=_tools(),
        contacts=(),
        referents=(),
        replied_to=(),
        history=(),
        now=datetime.now(UTC),
        zone=ZoneInfo(settings.butler.timezone),
        butler_name=settings.butler.name,
    )
