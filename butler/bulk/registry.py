"""The adapters of all modules, by name."""

from collections.abc import Awaitable, Callable, Iterable, Sequence

from butler.contract.bulk import BatchRefusedError, BulkToolAdapter

WhyNot = Callable[[Sequence[str], str], Awaitable[str]]
"""Returns why one of these tools may not be used, under a trace id; empty if all may."""


async def _all_may(_tools: Sequence[str], _trace_id: str) -> str:
    return ""


class BulkAdapters:
    """The central registry of bulk adapters."""

    def __init__(self) -> None:
        self._adapters: dict[str, BulkToolAdapter] = {}
        self._why_not: WhyNot = _all_may

    def add(self, adapters: Iterable[BulkToolAdapter]) -> None:
        """Register a module's adapters. Raises `ValueError` if a name is taken."""
        for adapter in adapters:
            if adapter.tool_name in self._adapters:
                raise ValueError(f"there are two bulk adapters for {adapter.tool_name}")
            self._adapters[adapter.tool_name] = adapter

    def ask(self, why_not: WhyNot) -> None:
        """Set the check of an adapter's tools (`required_tools`), made before it lists and before each batch."""
        self._why_not = why_not

    async def require(self, adapter: BulkToolAdapter, trace_id: str) -> None:
        """Raise `BatchRefusedError` if an adapter may not be used now."""
        if adapter.required_tools and (why := await self._why_not(adapter.required_tools, trace_id)):
            raise BatchRefusedError(why)

    def get(self, tool_name: str) -> BulkToolAdapter:
        """Return the adapter of this name. Raises `ValueError` if there is none."""
        adapter = self.find(tool_name)
        if adapter is None:
            raise ValueError(f"No bulk adapter registered for tool: {tool_name}")
        return adapter

    def find(self, tool_name: str) -> BulkToolAdapter | None:
        """Return the adapter of this name, or None: a run may outlast its module's settings."""
        return self._adapters.get(tool_name)

    def every(self) -> tuple[BulkToolAdapter, ...]:
        """Return all adapters."""
        return tuple(self._adapters.values())
