"""`butler contacts`: lists the people whom Butler knows by name, and addresses seen without one."""

from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

contacts_app = typer.Typer(help="Whom Butler knows by name.", invoke_without_command=True)
Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="As `butler contacts` shows it, or a mail address.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="What you call this person.")]


@contacts_app.callback()
@report_errors
def contacts(ctx: typer.Context, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """List whom Butler knows by name, and whom you write to without a name."""
    if ctx.invoked_subcommand is not None:
        return
    from butler.cli.contacts import list_contacts  # noqa: PLC0415

    print(list_contacts(config, as_json=as_json))


@contacts_app.command("name")
@report_errors
def give_name(address: Address, name: Name, config: ConfigOption = DEFAULT) -> None:
    """Give a name to an address, so that you can write to it by that name."""
    from butler.cli.contacts import name_address  # noqa: PLC0415

    print(name_address(config, address, name))


@contacts_app.command("forget")
@report_errors
def forget(name: Name, config: ConfigOption = DEFAULT) -> None:
    """Take a name back; one of the settings or of your address book comes back with it."""
    from butler.cli.contacts import forget_name  # noqa: PLC0415

    print(forget_name(config, name))
