"""Experts and prompts of tools as small files, for tests that break them one by one."""

import json
from pathlib import Path
from typing import Any

from butler.orchestrator.experts.building import ExpertBuild, build_experts
from butler.orchestrator.experts.errors import ExpertError
from butler.orchestrator.experts.expert import Experts

SEARCH, SEND, NOTE = "user_email_search_inbox", "user_email_send_message", "bot_notes_remember"


class Home:
    """A folder of experts and one of modules."""

    def __init__(self, folder: Path) -> None:
        self.experts, self.modules, self.own = folder / "experts", folder / "modules", folder / "own"
        self.experts.mkdir()
        self.own.mkdir()
        self.install(SEARCH, SEND, NOTE)
        for tool in (SEARCH, SEND, NOTE):
            self.prompt(tool)

    def install(self, *tools: str) -> None:
        (self.experts / "manifest.json").write_text(json.dumps({"tools": tools}))

    def prompt(self, tool: str, text: str = "") -> Path:
        path = self.modules / tool.split("_")[1] / "prompts" / f"tool_{tool}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or f"What {tool} is for.")
        return path

    def expert(self, name: str, *, place: Path | None = None, folder: str = "", **manifest: Any) -> Path:
        where = (place or self.experts) / (folder or name)
        (where / "skills").mkdir(parents=True, exist_ok=True)
        values = {"name": name, "title": name.title(), "description": f"knows {name}", "fexp_allow_tools": [SEARCH]}
        (where / "manifest.json").write_text(json.dumps(values | manifest))
        (where / "body.md").write_text(f"You are the {name} expert of {{{{ butler_name }}}}.")
        for skill in manifest.get("skills", ()):
            (where / "skills" / f"{skill}.md").write_text(f"The skill {skill}.")
        return where

    def build(self, own: Path | None = None) -> Experts:
        return build_experts(own, shipped=self.experts, prompts=self.modules)

    def faults(self) -> list[ExpertError]:
        building = ExpertBuild(self.modules)
        building.of((self.experts,))
        return building.faults
