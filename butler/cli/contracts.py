"""`butler contracts`: the frozen contracts of the remote adapters, whether all is as locked, and new versions."""

from typing import Annotated

import typer

from butler.cli.ending import one_sentence

contracts_app = typer.Typer(help="The frozen contracts of the remote adapters.", no_args_is_help=True)


@contracts_app.callback()
def contracts() -> None:
    """The frozen contracts of the remote adapters."""


@contracts_app.command("bump")
@one_sentence
def bump(
    adapter: Annotated[str, typer.Argument(metavar="ADAPTER", help="The adapter's id, such as qdrant-vector.")],
    first: Annotated[
        bool, typer.Option("--first", help="Forget its versions and lock it anew as 1.0.0, before it is given out.")
    ] = False,
) -> None:
    """Lock a new version of an adapter's contract, as its code is now."""
    from butler.adapters.bump import bump as lock_anew  # noqa: PLC0415
    from butler.adapters.files import Files  # noqa: PLC0415
    from butler.cli.contracts_code import read_code  # noqa: PLC0415

    print("\n".join(lock_anew(Files(), read_code(), adapter, first=first)))
