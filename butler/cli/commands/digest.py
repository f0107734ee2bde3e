"""`butler digest`: preview a digest."""

from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption


def digest(
    config: ConfigOption = DEFAULT,
    preview: Annotated[bool, typer.Option("--preview", help="Print it; it is never sent from here.")] = False,
    now: Annotated[str, typer.Option(help="The time it is for, ISO 8601.")] = "",
) -> None:
    """Print what a digest of the day would say now; nothing is sent."""
    from butler.cli.digest import previewed  # noqa: PLC0415 - heavy

    if not preview:
        raise typer.BadParameter("write --preview to have it printed; /digest in the chat sends one")
    print(previewed(config, now=now))
