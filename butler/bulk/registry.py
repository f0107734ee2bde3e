"""The adapters of all modules, by name."""

from collections.abc import Iterable

from butler.contract.bulk import BulkToolAdapter


class BulkAdapters:
    """The central registry of seed 1."""

    def __init__(self) -> None:
        self._adapters: dict[str, BulkToolAdapter] = {}

    def add(self, adapters: Iterable[BulkToolAdapter]) -> None:
        """Make a module's adapters known. Raises `ValueError` where a name is taken."""
        for adapter in adapters:
            if adapter.tool_name in self._adapters:
                raise ValueError(f"there are two bulk adapters for {adapter.tool_name}")
            self._adapters[adapter.tool_name] = adapter

    def get(self, tool_name: str) -> BulkToolAdapter:
        """The adapter of this name; raises `ValueError`."""
        adapter = self.find(tool_name)
        if adapter is None:
            raise ValueError(f"No bulk adapter registered for tool: {tool_name}")
        return adapter

    def find(self, tool_name: str) -> BulkToolAdapter | None:
        """The same, or None: what has been begun may outlast its module's settings."""
        return self._adapters.get(tool_name)

    def every(self) -> tuple[BulkToolAdapter, ...]:
        """All of them."""
        return tuple(self._adapters.values())
