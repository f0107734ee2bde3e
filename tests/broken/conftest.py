"""Rooms of the house that these tests try to break, each as its own tests build it."""

from tests.modules.telegram.conftest import house as telegram
from tests.modules.telegram.conftest import make_house, server, server_time
from tests.orchestrator.conftest import house

__all__ = ["house", "make_house", "server", "server_time", "telegram"]
