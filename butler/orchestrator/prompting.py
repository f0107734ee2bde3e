"""The orchestrator's own prompts."""

from pathlib import Path

from butler.agents.prompting import Prompts

render = Prompts(Path(__file__).parent / "prompts").render
"""Takes the name of a prompt file and its values; see `Prompts.render`."""
