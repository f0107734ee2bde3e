"""Parts of the butler that these tests try to break, each as its own tests build it."""

from tests.modules.telegram.conftest import harness as telegram
from tests.modules.telegram.conftest import make_harness, server, server_time
from tests.orchestrator.conftest import harness

__all__ = ["harness", "make_harness", "server", "server_time", "telegram"]
