"""Runs the modules' own checks without a daemon, each with a time limit: for `doctor` and `init`."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from butler.contract.errors import ButlerError
from butler.contract.module import CheckResult, Module, ModuleContext
from butler.discovery import build_modules
from butler.offline import offline_context
from butler.vault import open_vault
from config.load import Loaded

LIMIT_S = 60.0


def context_of(loaded: Loaded, *, beside_daemon: bool = False) -> ModuleContext:
    """The dependencies of checks: the vault, which has the secrets too."""
    return replace(offline_context(), vault=open_vault(loaded), beside_daemon=beside_daemon)


async def check_channel(channel: str, section: Mapping[str, Any], secrets: Mapping[str, str]) -> Sequence[CheckResult]:
    """Run a channel's checks with these settings; raise `ConfigError` if the settings do not work."""
    modules = build_modules({channel: section}, offline_context(secrets))
    return await check_module(next(module for module in modules if module.channel == channel))


async def check_module(module: Module, limit_s: float = LIMIT_S) -> Sequence[CheckResult]:
    """Run a module's checks. A check that times out or breaks becomes a failed line."""
    name = f"The channel {module.channel}"
    try:
        async with asyncio.timeout(limit_s):
            return await module.checks()
    except TimeoutError:
        detail, todo = f"no answer within {limit_s:g} s", "Check the network, and try again."
    except ButlerError as error:
        detail, todo = str(error), "Look at this channel's settings."
    except Exception:  # noqa: BLE001 - the boundary: a check that breaks is recorded as a line of its own
        detail, todo = "its check broke", "Run `butler run --log-level DEBUG` and look."
    finally:
        with suppress(Exception):
            async with asyncio.timeout(limit_s):
                await module.stop()
    return [CheckResult(name, ok=False, detail=detail, todo=todo)]
