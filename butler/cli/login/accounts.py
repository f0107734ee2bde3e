"""The steps common to all sign-ins: choose the account, store its secret, notify the daemon."""

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from butler.cli.dialogue import Dialogue, reason
from butler.contract.errors import ButlerError, ConfigError, Refuse, SealedError
from butler.vault import Vault, open_vault
from config.load import Loaded, load, read_secrets

NAME = re.compile(r"[a-z][a-z0-9_-]{0,29}")


@dataclass(frozen=True, slots=True)
class LoginContext:
    """The environment of a sign-in: the configuration, its vault, and the user at the terminal."""

    config: Path
    loaded: Loaded
    vault: Vault
    dialogue: Dialogue

    @classmethod
    def of(cls, config: Path, channel: str = "") -> "LoginContext":
        """Read the configuration, for a sign-in to a channel if one is given; raise `ConfigError`."""
        if channel and find_spec(f"modules.{channel}") is None:
            raise ConfigError(f"there is no module {channel!r}, so that there is nothing to sign in to")
        loaded = load(config)
        return cls(config, loaded, open_vault(loaded), Dialogue(asks=True))

    @property
    def secrets_file(self) -> Path:
        """The file that overrides the vault."""
        return self.config.resolve().parent / self.loaded.settings.butler.secrets_file

    def user_section(self, channel: str) -> Any:
        """Return the checked `[modules.<channel>.user]`, None if there is none; raise `ConfigError`."""
        from butler.discovery import check_section, discover  # noqa: PLC0415

        section = self.loaded.settings.modules.get(channel, {})
        try:
            return check_section(discover()[channel], section).user
        except ConfigError as error:
            raise ConfigError(f"{self.config}: {error.detail}") from None

    def known(self, variable: str) -> str:
        """Return an existing secret; empty if there is none, or if it can no longer be opened."""
        with suppress(SealedError):
            return self.vault.get(variable)
        return ""

    def may_replace(self, *variables: str) -> list[str]:
        """Return the variables of the secrets file that the user agrees to replace. Raise `Refuse` for any other one.

        A value set outside overrides the vault, so a new sign-in would have no effect.
        """
        for variable in variables:
            if os.environ.get(variable):
                raise Refuse(f"the environment sets {variable}, which wins over what is sealed; unset it and try again")
        in_file = read_secrets(self.secrets_file)
        found = [variable for variable in variables if in_file.get(variable)]
        if found:
            text = f"{self.secrets_file} sets {' and '.join(found)}, which wins over what is sealed."
            if not self.dialogue.agrees(f"{text} Take it out there once you are signed in?", default=True):
                raise Refuse("what stands in the secrets file stays, and nothing is changed")
        return found

    def seal(self, values: dict[str, str], *, replaced: list[str]) -> None:
        """Seal credentials in the vault, and remove from the secrets file what they replace."""
        from butler.cli.config_files import drop_secrets  # noqa: PLC0415

        for name, value in values.items():
            self.vault.put(name, value)
        if replaced:
            drop_secrets(self.secrets_file, replaced)
        names = " and ".join(values)
        self.dialogue.say(f"Sealed as {names} in {self.vault.folder}; the key is in {self.vault.keys.where}.")

    def tell_daemon(self, channel: str, account: str, *, restart: str = "") -> None:
        """Notify a running daemon of the account; `restart` says why a restart is needed instead."""
        from butler.cli.database import changing  # noqa: PLC0415
        from butler.cli.doctor.checks import check_daemon  # noqa: PLC0415
        from butler.sign_ins import announce  # noqa: PLC0415

        _line, running = check_daemon(self.loaded)
        text = ""
        try:
            with changing(self.config) as connection:
                announce(connection, channel, account, datetime.now(UTC), tell=not restart)
        except Refuse:
            text = "" if not running else "its database is of another version"
        except ButlerError as error:
            text = reason(error)
        if not running:
            self.dialogue.say("Butler is not running; it uses this when it starts.")
        elif restart or text:
            self.dialogue.say(f"Start Butler again: {restart or text}.")
        else:
            self.dialogue.say("Butler is running, and goes on with it by itself.")


def chosen(section: Any, wanted: str | None, title: str) -> tuple[str, Any]:
    """Return the chosen account of a checked section, by name; raise `ConfigError`."""
    every = {section.account: section, **section.accounts}
    name = wanted or section.account
    if name not in every:
        todo = f"add [{title}.accounts.{name}] to your settings" if NAME.fullmatch(name) else "look into your settings"
        raise ConfigError(f"there is no account {name!r}; there are {', '.join(every)}: {todo}")
    if not every[name].enabled:
        raise ConfigError(f"the account {name!r} is switched off; set enabled = true in [{title}] and try again")
    return name, every[name]


def add_section(config: Path, title: str, lines: str) -> None:
    """Append a section to butler.toml, keeping the rest."""
    from butler.cli.config_files import write_whole  # noqa: PLC0415

    text, mode = config.read_text(encoding="utf-8"), stat.S_IMODE(config.stat().st_mode)
    write_whole(config, f"{text.rstrip()}\n\n[{title}]\n{lines}", mode=mode)
