"""A process that has loaded everything, and forks a daemon whenever it is told: `python -m tests.crash.nursery`.

Reads a JSON object a line: `{"config", "clock", "trace", "kill_at", "log", "load"}`; answers `pid N` and, once that
child has ended, `ended STATUS`. One child at a time.
"""

import gc
import json
import os
import sys
from importlib import import_module
from pathlib import Path

import uvicorn  # noqa: F401 - loaded before the fork
from telethon import TelegramClient  # noqa: F401

import butler.web.health  # noqa: F401
from butler.contract.errors import ButlerError
from butler.daemon import Probes, run
from butler.discovery import discover
from butler.guardrails.pii import personal_data
from butler.logs import Redactor, setup
from butler.offline import offline_registry
from butler_demo.clock import TurnedClock
from tests.crash.probe import KillingProbe


def preload():
    """Everything that a daemon imports on its way."""
    import uvicorn.protocols.http.h11_impl  # noqa: F401, PLC0415

    import modules.email.integration_gmail  # noqa: PLC0415
    import modules.telegram.integration_telegram_bot_api  # noqa: PLC0415
    import modules.telegram.integration_telegram_client  # noqa: F401, PLC0415

    discover()
    # So that the patterns by which the log is redacted are compiled.
    personal_data("nobody")
    # So that the schemas of everything are there, too.
    offline_registry()


def child(order):
    """The daemon's life in a forked process."""
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(0)
    trace = os.open(order["trace"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    probe = KillingProbe(trace, order["kill_at"])
    redactor = Redactor()
    setup(redactor, level="DEBUG" if order.get("debug") else "INFO", json=True)
    try:
        run(
            Path(order["config"]),
            clock=TurnedClock(Path(order["clock"])),
            probes=Probes(probe, probe),
            redactor=redactor,
        )
    except ButlerError as error:
        print(error, flush=True)
        os._exit(1)
    os._exit(0)


def main():
    preload()
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        for name in order["load"]:
            import_module(name)
        pid = os.fork()
        if pid == 0:
            child(order)
        print(f"pid {pid}", flush=True)
        _, status = os.waitpid(pid, 0)
        print(f"ended {status}", flush=True)


if __name__ == "__main__":
    main()
