"""Reads the contracts from the code, module by module, so that a broken module hides no other."""

import pkgutil
import tomllib
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import modules
from butler.adapters.code import Code, code_of
from butler.clock import RealClock
from butler.contract.base_integration import BaseIntegration
from butler.contract.module import Module
from butler.contract.tools import ToolSpec
from butler.discovery import check_section
from butler.offline import EXAMPLE, offline_context
from butler.registry import declared


def read_code() -> Code:
    """Return the declarations of every module, with its settings from the example."""
    sections: dict[str, dict[str, Any]] = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))["modules"]
    integrations: list[tuple[str, BaseIntegration]] = []
    tools: list[ToolSpec] = []
    unread: dict[str, str] = {}
    for info in pkgutil.iter_modules(modules.__path__):
        if not info.ispkg or info.name.startswith("_"):
            continue
        try:
            module = _module(info.name, sections.get(info.name, {}))
            integrations += [(info.name, integration) for integration in module.integrations()]
            tools += [tool for _, _, some in declared(module) for tool in some if isinstance(tool, ToolSpec)]
        except Exception as error:  # noqa: BLE001 - the boundary: code that is being written may raise anything; it is told
            unread[info.name] = f"{type(error).__name__}: {error}"
    return code_of([*integrations, *sign_ins()], tools, unread)


def sign_ins() -> Iterator[tuple[str, BaseIntegration]]:
    """Yield the integrations that only `butler login` uses, so that no module lists them."""
    from modules._accounts.oauth_login import OAuthClient, OAuthLogin  # noqa: PLC0415 - heavy
    from modules.telegram.config import AccountSettings  # noqa: PLC0415
    from modules.telegram.integration_client_login import TelegramClientLogin  # noqa: PLC0415 - heavy

    yield "_accounts", OAuthLogin(OAuthClient("", "", ""), (), RealClock())
    yield "telegram", TelegramClientLogin(AccountSettings(), "")


def _module(name: str, section: dict[str, Any]) -> Module:
    kind: type[Module] = import_module(f"modules.{name}").MODULE
    return kind(check_section(kind, section), offline_context())
