"""`butler mail`: shows how the butler reads a mail, lists the mails that it could not read, and retries one."""

from pathlib import Path
from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

mail_app = typer.Typer(help="Look at mails to the butler.", no_args_is_help=True)


@mail_app.command("inspect")
@report_errors
def inspect(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Mails as they were sent, such as .eml.")],
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    dns: Annotated[
        Path | None, typer.Option(help="A JSON file whose `txt` holds TXT records by name; without it, DNS is asked.")
    ] = None,
    now: Annotated[str, typer.Option(help="When the mail is to have arrived, ISO 8601.")] = "",
    owner: Annotated[str, typer.Option(metavar="ADDRESS", help="Your address, instead of the settings'.")] = "",
    butler: Annotated[str, typer.Option(metavar="ADDRESS", help="The butler's address, instead of its own.")] = "",
) -> None:
    """Show what the butler would make of a mail, and whether it would take orders from it. Nothing is done."""
    from butler.cli.mail.inspect import inspect_mails  # noqa: PLC0415
    from butler.cli.mail.scene import Scene  # noqa: PLC0415

    inspect_mails(files, Scene.of(config, dns=dns, now=now, owner=owner, butler=butler), as_json=as_json)


@mail_app.command("quarantine")
@report_errors
def quarantine(config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """List the mails that the butler could not read or had to put aside, the newest last."""
    from butler.cli.mail.quarantine import list_quarantined  # noqa: PLC0415

    print(list_quarantined(config, as_json=as_json))


@mail_app.command("retry")
@report_errors
def retry(
    mail_id: Annotated[str, typer.Argument(metavar="ID", help="A mail's id, or how it begins.")],
    config: ConfigOption = DEFAULT,
) -> None:
    """Read a mail anew that was put aside, and hand it to the butler as if it had just come in."""
    from butler.cli.mail.quarantine import retry_mail  # noqa: PLC0415

    print(retry_mail(config, mail_id))
