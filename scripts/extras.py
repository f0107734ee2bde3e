"""Build hook: the extras of the package, with `demo`, whose package lies in this repository and in no registry."""

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Extras(MetadataHookInterface):
    """Sets `optional-dependencies`, which a static list could not: the demo is required by the path of the checkout."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the extras to the metadata of the project."""
        demo = (Path(self.root) / "demo").as_uri()
        metadata["optional-dependencies"] = self.config["extras"] | {"demo": [f"butler-demo @ {demo}"]}
