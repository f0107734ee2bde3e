"""Builds experts from their folders, and fails fast: an expert with a fault is not built.

An expert's tools are named one by one, each with its prompt in `modules/<channel>/prompts/tool_<name>.md`. A folder of
the owner's own may add experts, replace shipped ones by their names, and add tools of the owner's own modules.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import config
import modules
from butler.orchestrator.experts.errors import (
    AllowedAndBlockedError,
    ExpertError,
    ExpertFileError,
    NoSuchToolError,
    NotInstalledError,
    PromptMissingError,
    TwoExpertsError,
    WildcardError,
)
from butler.orchestrator.experts.expert import Expert, Experts, ToolPrompt
from butler.orchestrator.experts.manifest import FILE, ExpertManifest, InstalledTools, read_manifest, read_text
from butler.orchestrator.experts.placeholders import check

SHIPPED = Path(config.__file__ or "").parent / "experts"
MODULES = Path(modules.__file__ or "").parent
WILD = frozenset("*?[")


def build_experts(own: Path | None = None, *, shipped: Path = SHIPPED, prompts: Path = MODULES) -> Experts:
    """Build all experts, with those of the owner's `own` folder; raise the first `ExpertError` found."""
    building = ExpertBuild(prompts)
    experts = building.of((shipped, own) if own is not None else (shipped,))
    if building.faults:
        raise building.faults[0]
    return experts


def own_folder(setting: str, config_file: Path) -> Path | None:
    """Return the folder that `[experts] folder` names, relative to the configuration file; None if it is empty."""
    return config_file.resolve().parent / setting if setting else None


class ExpertBuild:
    """One build of all experts, and every fault found on the way."""

    def __init__(self, prompts: Path = MODULES) -> None:
        """`prompts` is the folder of the modules, each of which keeps the prompts of its tools."""
        self._prompts = prompts
        self._written = {path.stem.removeprefix("tool_"): path for path in prompts.glob("*/prompts/tool_*.md")}
        self.faults: list[ExpertError] = []

    def of(self, folders: Sequence[Path]) -> Experts:
        """Build the experts of these folders; an expert in a later folder replaces one in an earlier folder."""
        installed = frozenset(tool for folder in folders for tool in self._installs(folder))
        self.faults += (
            NotInstalledError(f"{tool} ({path}); add it to {folders[0] / FILE}, or take the prompt away")
            for tool, path in sorted(self._written.items())
            if tool not in installed
        )
        found: dict[str, Expert] = {}
        for folder in folders:
            experts = [one for place in self._places(folder) if (one := self._expert(place, installed)) is not None]
            names = [one.name for one in experts]
            self.faults += (
                TwoExpertsError(f"{name}, in {folder}") for name in sorted(set(names)) if names.count(name) > 1
            )
            found |= {one.name: one for one in experts}
        return Experts(installed, tuple(found[name] for name in sorted(found)))

    def _installs(self, folder: Path) -> Sequence[str]:
        """Return the tools that a folder's own manifest installs; the owner's folder need not have one."""
        path = folder / FILE
        if folder != SHIPPED and not path.exists():
            return ()
        try:
            return read_manifest(path, InstalledTools).tools
        except ExpertError as error:
            self.faults.append(error)
            return ()

    def _places(self, folder: Path) -> Iterator[Path]:
        """Yield the folder of each expert."""
        if not folder.is_dir():
            self.faults.append(ExpertFileError(f"{folder} is no folder; see [experts] folder"))
            return
        yield from sorted(
            place for place in folder.iterdir() if place.is_dir() and not place.name.startswith((".", "_"))
        )

    def _expert(self, place: Path, installed: frozenset[str]) -> Expert | None:
        """Build one expert; None without a readable manifest or any tool. All its faults are collected."""
        try:
            manifest = read_manifest(place / FILE, ExpertManifest)
        except ExpertError as error:
            self.faults.append(error)
            return None
        allowed = [tool for tool in manifest.fexp_allow_tools if not self._is_deleted(tool, place, installed)]
        if not allowed:
            return None
        self.faults += _wrong_names(manifest, allowed, place, installed, frozenset(self._written))
        tools = [self._prompt(tool) for tool in allowed if tool in self._written]
        body = self._text(place / "body.md")
        skills = [self._text(place / "skills" / f"{skill}.md") for skill in manifest.skills]
        return Expert(
            name=manifest.name,
            title=manifest.title,
            description=manifest.description,
            topics=manifest.topics,
            body=body,
            skills=tuple(skills),
            tools=tuple(one for one in tools if one is not None),
            blocked=manifest.fexp_block_tools,
        )

    def _is_deleted(self, tool: str, place: Path, installed: frozenset[str]) -> bool:
        """Return whether a shipped expert's tool only lost its module's folder: the expert then works without it."""
        return place.parent == SHIPPED and tool in installed and not (self._prompts / _channel(tool)).is_dir()

    def _prompt(self, tool: str) -> ToolPrompt | None:
        text = self._text(self._written[tool])
        return ToolPrompt(tool, text) if text else None

    def _text(self, path: Path) -> str:
        """Return a text of an expert; empty if it is unusable, which is collected as a fault."""
        try:
            return _checked(path)
        except ExpertError as error:
            self.faults.append(error)
            return ""


def _wrong_names(
    manifest: ExpertManifest,
    allowed: Sequence[str],
    place: Path,
    installed: frozenset[str],
    prompted: frozenset[str],
) -> Iterator[ExpertError]:
    """Yield the faults of the tools that a manifest names."""
    where = place / FILE
    for tool in allowed:
        if WILD & set(tool):
            yield WildcardError(f"{tool} in {where}")
        elif tool not in installed:
            # A prompt without an installed tool is a fault of its own, regardless of who allows it.
            if tool not in prompted:
                yield NoSuchToolError(f"{tool} in {where}")
        elif tool not in prompted:
            yield PromptMissingError(f"{tool} in {where}; write modules/{_channel(tool)}/prompts/tool_{tool}.md")
        if any(fnmatchcase(tool, blocked) for blocked in manifest.fexp_block_tools):
            yield AllowedAndBlockedError(f"{tool} in {where}")
    for blocked in manifest.fexp_block_tools:
        if not any(fnmatchcase(tool, blocked) for tool in (*installed, *manifest.fexp_allow_tools)):
            yield NoSuchToolError(f"{blocked} in {where}, so that blocking it protects from nothing")


def _channel(tool: str) -> str:
    """Return the channel in a tool's name."""
    return tool.split("_")[1] if tool.count("_") > 1 else "<channel>"


def _checked(path: Path) -> str:
    """Return a text with known placeholders only; raise `ExpertError`, also if it is empty."""
    text = read_text(path)
    if not text:
        raise ExpertFileError(f"{path} is empty; write into it what a model has to be told")
    check(text, str(path))
    return text
