"""`butler pair`: makes a Telegram account the owner's."""

import asyncio
from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption


def pair(
    config: ConfigOption = DEFAULT,
    again: Annotated[
        bool, typer.Option("--again", help="After a lost or stolen account: the one before is a stranger at once.")
    ] = False,
) -> None:
    """Make a code that you say to your bot, so that it knows you. An older code is void then."""
    from butler.cli.pair import open_pairing, pair_again  # noqa: PLC0415

    print(pair_again(config) if again else asyncio.run(open_pairing(config)))
