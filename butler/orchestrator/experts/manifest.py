"""The manifests of experts: which tools the butler installs, and which of them an expert may use."""

import json
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from butler.contract.records import ClosedRecord
from butler.orchestrator.experts.errors import ExpertFileError, ExpertManifestError
from config.load import why_unreadable, wrong_keys

FILE = "manifest.json"
NAME = r"^[a-z][a-z0-9_-]{0,39}$"

Text = Annotated[str, Field(min_length=1, max_length=200)]
Part = Annotated[str, Field(pattern=NAME)]


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{twice[0]} stands there twice")
    return names


Tools = Annotated[tuple[str, ...], AfterValidator(_each_once)]


class InstalledTools(ClosedRecord):
    """`config/experts/manifest.json`: the tools that the butler installs, each by its name."""

    tools: Tools


class ExpertManifest(ClosedRecord):
    """`config/experts/<name>/manifest.json`."""

    name: Part
    title: Text
    description: Text
    topics: tuple[Text, ...] = ()
    fexp_allow_tools: Annotated[Tools, Field(min_length=1)]
    fexp_block_tools: Tools = ()
    skills: tuple[Part, ...] = ()


Manifest = TypeVar("Manifest", bound=BaseModel)


def read_manifest(path: Path, kind: type[Manifest]) -> Manifest:
    """Read a manifest; raise `ExpertFileError` or `ExpertManifestError`, which say what to change."""
    try:
        found = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise ExpertManifestError(f"{path} is no JSON: {error}") from None
    except (ValueError, RecursionError):
        raise ExpertManifestError(f"{path} is no JSON that can be read") from None
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        raise ExpertManifestError(f"{path}: {wrong_keys(error)}") from None


def read_text(path: Path) -> str:
    """Read a file's text; raise `ExpertFileError`."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ExpertFileError(f"{path}: {why_unreadable(error)}") from None
