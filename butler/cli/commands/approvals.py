"""`butler approvals`: lists approvals, shows everything about one, and withdraws what has not begun."""

from typing import Annotated

import typer

from approvals.states import State
from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

STATES = f"Those in this state, more than once for several: {', '.join(State)}."

approvals_app = typer.Typer(help="What asked for your yes.", invoke_without_command=True)


@approvals_app.callback()
@report_errors
def approvals(
    ctx: typer.Context,
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    everything: Annotated[bool, typer.Option("--all", help="Also those that are decided.")] = False,
    state: Annotated[list[State] | None, typer.Option(metavar="STATE", help=STATES)] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="No more than the newest so many.")] = None,
) -> None:
    """List what waits for your yes, the newest last."""
    if ctx.invoked_subcommand is not None:
        return
    from butler.cli.approvals.list import list_approvals  # noqa: PLC0415

    states = state or (list(State) if everything else [State.PENDING])
    print(list_approvals(config, states, as_json=as_json, limit=limit))


@approvals_app.command("show")
@report_errors
def show(
    approval_id: Annotated[str, typer.Argument(metavar="ID", help="An approval's id, or how it begins.")],
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
) -> None:
    """Show an approval: its card as it stands, what you changed, each attempt, and its entries in the audit log."""
    from butler.cli.approvals.show import show_approval  # noqa: PLC0415

    print(show_approval(config, approval_id, as_json=as_json))


@approvals_app.command("withdraw")
@report_errors
def withdraw(
    approval_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="An approval's id, or how it begins; or say --all.")
    ] = None,
    config: ConfigOption = DEFAULT,
    everything: Annotated[bool, typer.Option("--all", help="All that has not begun.")] = False,
) -> None:
    """Take back what waits for your yes, or has it and has not begun: it is cancelled, and never done."""
    from butler.cli.approvals.withdraw import withdraw_all, withdraw_one  # noqa: PLC0415

    if everything == (approval_id is not None):
        raise typer.BadParameter("say which one by its ID, or --all")
    print(withdraw_all(config) if approval_id is None else withdraw_one(config, approval_id))
