"""`butler doctor`: checks everything that Butler needs."""

import asyncio

from butler.cli.options import DEFAULT, ConfigOption, JsonOption


def doctor(config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Look at everything Butler needs, and say what to do about what does not work."""
    from butler.cli.doctor.diagnosis import diagnose  # noqa: PLC0415

    asyncio.run(diagnose(config, as_json=as_json))
