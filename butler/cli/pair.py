"""`butler pair`: a code that makes a Telegram account the owner's; with `--again`, unpairs the former one."""

from pathlib import Path

from butler.cli.database import changing
from butler.cli.output import counted
from butler.clock import RealClock
from butler.contract.errors import Refuse
from config.load import load

SAY_IT = "Send this to your bot on Telegram within 15 minutes (an older code is void now):\n\n    /start {code}\n"


async def open_pairing(path: Path) -> str:
    """Make a pairing code; return what to do with it. Raise `Refuse` if somebody is paired."""
    from butler.audit_head import refuse_lost  # noqa: PLC0415
    from butler.owner import Owner  # noqa: PLC0415
    from butler.store.open import open_store  # noqa: PLC0415

    loaded = load(path)
    refuse_lost(loaded.settings.store.url, loaded.data_dir)
    store = open_store(loaded.settings.store.url, data_dir=loaded.data_dir)
    try:
        owner = Owner(store, RealClock(), telegram_user_id=loaded.settings.owner.telegram_user_id, emails=frozenset())
        await owner.load()
        if owner.telegram_user_id is not None:
            raise Refuse(
                f"Butler is paired with Telegram user {owner.telegram_user_id}; that stays so. "
                "After a lost or stolen account, run `butler pair --again`"
            )
        code = await owner.open_pairing()
    finally:
        await store.close()
    return SAY_IT.format(code=code)


def pair_again(path: Path) -> str:
    """Unpair the owner, withdraw their pending requests, and make a new code; return what to do with it.

    Raises `Refuse` if the settings name the owner.
    """
    from approvals.handover import hand_over  # noqa: PLC0415
    from butler.owner import open_code, unpair  # noqa: PLC0415

    configured = load(path).settings.owner.telegram_user_id
    if configured is not None:
        raise Refuse(
            f"{path} says that you are Telegram user {configured}: change telegram_user_id in [owner] there, and "
            "restart Butler. Run `butler pause` first if the old account is in wrong hands"
        )
    now = RealClock().now()
    with changing(path) as connection:
        former = unpair(connection, "command line", now)
        taken, rules = hand_over(connection, now)
        code = open_code(connection, now)
    who = f"Telegram user {former} is a stranger now" if former is not None else "Nobody was paired"
    acts = counted(taken, "card or act that had not begun was withdrawn", "cards and acts not begun were withdrawn")
    standing = counted(rules, "standing rule was put out of force", "standing rules were put out of force")
    return f"{who}; {acts}, {standing}.\n{SAY_IT.format(code=code)}"
