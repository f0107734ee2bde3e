"""What the how-tos of remote adapters promise to understand is understood by the planner without a model."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from butler.contract.referents import ReferentKind
from butler.contract.tools import ToolSpec
from butler.offline import offline_registry
from butler.orchestrator.planning.plan_types import Planned
from butler.store.conversation import Referent
from tests.orchestrator.embedded import scene

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to"
PAGES = {
    "connect-loki": {"loki"},
    "connect-prometheus": {"prometheus"},
    "connect-grafana": {"grafana"},
    "connect-r2": {"r2"},
    "connect-postgres": {"postgres"},
    "connect-qdrant": {"qdrant"},
    "connect-meilisearch": {"meilisearch"},
    "connect-livekit": {"livekit"},
    "ask-why-a-server-is-slow": {"prometheus", "loki"},
    "call-somebody": {"livekit"},
}
"""Of each page, the channels of which a tool has to be in the plan."""
NO_REQUESTS = {
    "Administration", "Users and access", "Service accounts", "Object Read & Write", "Connect", "Since", "since 2025",
    "Send Anna the link", "call Anna tomorrow at 5",
}  # fmt: skip
"""What pages quote that is a name or a part of something, or is answered with an offer."""


def sentences(page: str) -> list[str]:
    """The requests that a page quotes, without those before which it says that they need a language model."""
    text = (HOW_TO / f"{page}.md").read_text(encoding="utf-8").replace("\n> ", " ")
    found: list[str] = []
    for part in re.split(r"\n\n|\n- |\n\d\. ", text):
        plain = " ".join(part.split())
        quoted = list(re.finditer("“(.+?)”", plain))
        found += [one[1] for one in quoted if "language model" not in plain[: one.start()]]
    return [one for one in found if one not in NO_REQUESTS]


@cache
def tools() -> tuple[ToolSpec, ...]:
    """All there are, as the example configuration has them."""
    registry, _ = offline_registry()
    return tuple(replace(spec, accounts=spec.accounts[:1]) for spec in registry.specs())


@pytest.mark.parametrize(("page", "words"), [(page, words) for page in PAGES for words in sentences(page)])
async def test_a_sentence_of_a_how_to_is_planned(page: str, words: str) -> None:
    file = Referent(handle="file-1", kind=ReferentKind.FILE, key="a" * 64, tool="bot_documents_read", at=scene.NOW)
    output = await scene.plan(words, tools=tools(), referents=(*scene.SHOWN, file), replied_to=(file,))
    assert isinstance(output, Planned), output
    planned = {spec.channel for spec in tools() for step in output.steps if spec.tool_name == step.tool_call}
    assert planned & PAGES[page]


@pytest.mark.parametrize("page", PAGES)
def test_each_how_to_quotes_what_can_be_said(page: str) -> None:
    assert sentences(page)
