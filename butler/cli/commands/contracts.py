"""`butler contracts`: shows the frozen contracts of the remote adapters, checks them, and locks new versions."""

import sys
from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

contracts_app = typer.Typer(help="The frozen contracts of the remote adapters.", no_args_is_help=True)


@contracts_app.command("show")
@report_errors
def show(config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Show which tool stands on which operation of which contract, whether it may be used, and what was refused."""
    from butler.adapters.catalogue import load_catalogue  # noqa: PLC0415
    from butler.cli.contracts.code import read_code  # noqa: PLC0415
    from butler.cli.contracts.show import show as table  # noqa: PLC0415

    print(table(config, read_code(), load_catalogue(), as_json=as_json))


@contracts_app.command("check")
@report_errors
def check(
    base: Annotated[
        list[str] | None,
        typer.Option(help="A commit or branch whose history counts before the own one; without it, the main branch."),
    ] = None,
) -> None:
    """Say whether files, code and tools are as the contracts were locked, and what to do where they are not.

    The lock is compared with every commit that changed it, so that what was given out cannot be rewritten.
    """
    from butler.adapters.check import check as faults_of  # noqa: PLC0415
    from butler.adapters.files import Files  # noqa: PLC0415
    from butler.adapters.history_check import check_history  # noqa: PLC0415
    from butler.cli.contracts.code import read_code  # noqa: PLC0415

    code = read_code()
    rewritten, missing = check_history(Files(), base or ())
    faults = [*faults_of(Files(), code), *rewritten]
    for fault in faults:
        print(f"butler: {fault}", file=sys.stderr)
    if missing:
        print(f"Not all could be compared with what was given out before: {missing}.")
    if faults:
        raise typer.Exit(1)
    print(f"{len(code.adapters)} adapters and {len(code.methods)} methods are as they were locked.")


@contracts_app.command("bump")
@report_errors
def bump(
    adapter: Annotated[
        str | None, typer.Argument(metavar="ADAPTER", help="The adapter's id, such as qdrant-vector.")
    ] = None,
    first: Annotated[
        bool, typer.Option("--first", help="Forget its versions and lock it anew as 1.0.0, before it is given out.")
    ] = False,
    methods: Annotated[
        bool, typer.Option("--methods", help="Lock new methods that are behind no adapter, and retire those gone.")
    ] = False,
) -> None:
    """Lock a new version of an adapter's contract, as its code is now."""
    if methods == (adapter is not None) or (methods and first):
        raise typer.BadParameter("name an adapter, or say --methods")
    from butler.adapters import bump as locking  # noqa: PLC0415
    from butler.adapters.files import Files  # noqa: PLC0415
    from butler.cli.contracts.code import read_code  # noqa: PLC0415

    files, code = Files(), read_code()
    lines = locking.bump(files, code, adapter, first=first) if adapter else locking.lock_methods(files, code)
    print("\n".join(lines))
