"""`butler doctor`: checks everything that Butler needs."""

import asyncio
from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption, JsonOption


def doctor(
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    model: Annotated[
        bool, typer.Option("--model", help="Ask the language model 30 fixed requests instead; it costs as many.")
    ] = False,
) -> None:
    """Look at everything Butler needs, and say what to do about what does not work."""
    if model:
        from butler.cli.doctor.model_trial import try_model  # noqa: PLC0415

        asyncio.run(try_model(config, as_json=as_json))
        return
    from butler.cli.doctor.diagnosis import diagnose  # noqa: PLC0415

    asyncio.run(diagnose(config, as_json=as_json))
