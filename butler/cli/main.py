"""The `butler` command: its sub-commands in the order of `--help`.

`butler.cli.commands` declares arguments only. The work is in the module or package of the same name beside it, which a
command imports when it runs, so that help and completion stay fast.
"""

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer
from typer.core import TyperGroup

from butler.cli.commands.approvals import approvals_app
from butler.cli.commands.audit import audit_app
from butler.cli.commands.automations import automations_app
from butler.cli.commands.backup import backup, restore
from butler.cli.commands.bulk import bulk_app
from butler.cli.commands.config import config_app
from butler.cli.commands.contacts import contacts_app
from butler.cli.commands.contracts import contracts_app
from butler.cli.commands.db import db_app
from butler.cli.commands.demo import demo
from butler.cli.commands.digest import digest
from butler.cli.commands.doctor import doctor
from butler.cli.commands.events import events
from butler.cli.commands.experts import experts_app
from butler.cli.commands.export import export
from butler.cli.commands.guard import guard
from butler.cli.commands.hooks import hooks_app
from butler.cli.commands.init import init
from butler.cli.commands.keep import keep
from butler.cli.commands.login import login_app
from butler.cli.commands.mail import mail_app
from butler.cli.commands.new_module import new_module
from butler.cli.commands.pair import pair
from butler.cli.commands.parse import parse
from butler.cli.commands.pause import pause, resume
from butler.cli.commands.pin import pin_app
from butler.cli.commands.reminders import reminders_app
from butler.cli.commands.rules import rules_app
from butler.cli.commands.run import run
from butler.cli.commands.tools import tools_app
from butler.cli.commands.understand import understand
from butler.cli.commands.why import why
from butler.cli.commands.wipe import wipe
from butler.cli.errors import report_errors

FIRST_STEPS, DAILY_USE, MAINTENANCE, DEVELOPMENT = "First steps", "Daily use", "Maintenance", "For developers"
ORDER = {
    FIRST_STEPS: ("demo", "init", "pair", "login", "run", "doctor"),
    DAILY_USE: (
        *("approvals", "rules", "reminders", "automations", "events", "bulk", "contacts", "digest", "mail", "hooks"),
        *("why", "pause", "resume", "pin"),
    ),
    MAINTENANCE: ("config", "backup", "restore", "export", "keep", "audit", "db", "wipe"),
    DEVELOPMENT: ("tools", "experts", "understand", "parse", "guard", "contracts", "new-module"),
}
"""The panels of `--help` and their commands, in the order of display."""
PANELS = {name: panel for panel, names in ORDER.items() for name in names}


class OrderedGroup(TyperGroup):
    """Lists commands in the order of `ORDER`; typer lists single commands before groups."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the names of all commands."""
        known = list(PANELS)
        return sorted(super().list_commands(ctx), key=known.index)


app = typer.Typer(name="butler", cls=OrderedGroup, no_args_is_help=True, pretty_exceptions_enable=False)


def show_version(asked: bool) -> None:
    """Print the version and exit."""
    if asked:
        print(f"butler {version('butler')}")
        raise typer.Exit


@app.callback()
def butler(
    _version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """A personal butler on Telegram and mail that acts in your name only with your yes."""


COMMANDS: list[Callable[..., None]] = [
    *(backup, demo, digest, doctor, events, export, guard, init, keep, new_module, pair, parse, pause, restore, resume),
    *(run, understand, why, wipe),
]
for command in COMMANDS:
    name = command.__name__.replace("_", "-")
    app.command(name, rich_help_panel=PANELS[name])(report_errors(command))

for name, group in {
    "approvals": approvals_app,
    "audit": audit_app,
    "automations": automations_app,
    "bulk": bulk_app,
    "config": config_app,
    "contacts": contacts_app,
    "contracts": contracts_app,
    "db": db_app,
    "experts": experts_app,
    "hooks": hooks_app,
    "login": login_app,
    "mail": mail_app,
    "pin": pin_app,
    "reminders": reminders_app,
    "rules": rules_app,
    "tools": tools_app,
}.items():
    app.add_typer(group, name=name, rich_help_panel=PANELS[name])
