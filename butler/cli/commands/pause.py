"""`butler pause` and `butler resume`."""

from butler.cli.options import DEFAULT, ConfigOption


def pause(config: ConfigOption = DEFAULT) -> None:
    """Stop at once all that acts as you, also what is approved and not begun; only `butler resume` lifts it."""
    from butler.cli.pause import pause_now  # noqa: PLC0415 - heavy

    print(pause_now(config))


def resume(config: ConfigOption = DEFAULT) -> None:
    """Lift a pause, also one that was set in the chat."""
    from butler.cli.pause import resume_now  # noqa: PLC0415 - heavy

    print(resume_now(config))
