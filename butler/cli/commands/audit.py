"""`butler audit`: lists the audit log, exports it, and verifies that nobody has changed it."""

from pathlib import Path
from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

HELP = """List the newest entries of the audit log, the newest first.

It covers the pairing and all that asked for your yes: each request, answer and refused tap, each attempt and its
outcome. What you asked for and needs no yes, such as reading and reminders, is not in it.
"""

audit_app = typer.Typer(help=HELP, invoke_without_command=True)


@audit_app.callback()
@report_errors
def audit(
    ctx: typer.Context,
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    limit: Annotated[int, typer.Option(min=1, help="How many entries.")] = 50,
) -> None:
    if ctx.invoked_subcommand is not None:
        return
    from butler.cli.audit.log import list_audit  # noqa: PLC0415

    print(list_audit(config, as_json=as_json, limit=limit))


@audit_app.command("export")
@report_errors
def export(
    config: ConfigOption = DEFAULT,
    first: Annotated[int, typer.Option("--from", min=1, metavar="SEQ", help="The first entry to write.")] = 1,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write into this file, for you only.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE where it is there already.")] = False,
) -> None:
    """Write the whole audit log, one JSON object a line, the oldest first."""
    from butler.cli.audit.export import export_audit, write_export  # noqa: PLC0415

    if out is not None:
        print(write_export(config, out, first=first, force=force))
        return
    for line in export_audit(config, first=first):
        print(line)


@audit_app.command("verify")
@report_errors
def verify(
    config: ConfigOption = DEFAULT,
    head: Annotated[str, typer.Option(help="A head that you noted yourself, as SEQ:HASH, the whole hash.")] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Read all entries, also those that were found whole before.")
    ] = False,
    file: Annotated[
        Path | None, typer.Option(metavar="EXPORT", help="Check what `butler audit export` wrote instead.")
    ] = None,
) -> None:
    """Check the chain of the audit log, and its end by the heads that Butler noted outside of the database.

    An entry that was changed, taken out, put in or moved is named; an end that was cut off is told by the head. What
    was found whole within the last 30 days is read again with --all only; how far that goes is sealed with the key.
    """
    from butler.cli.audit.log import verify_audit, verify_export  # noqa: PLC0415

    print(verify_audit(config, head, everything=everything) if file is None else verify_export(file, head))
