"""Checks credentials: where each is stored, who may read it, whether the vault opens. Part of `butler doctor`."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from butler.contract.errors import SealedError
from butler.contract.module import CheckResult
from butler.vault import OTHERS, Vault, open_vault
from config.load import Loaded, read_secrets

SIGN_IN = "See docs/how-to/sign-in-again.md."


def check_sealed(loaded: Loaded) -> Iterator[CheckResult]:
    """Check the vault's folder and key, and each credential in it."""
    vault = open_vault(loaded)
    names = vault.names()
    if not names:
        yield CheckResult("Sealed credentials", ok=True, detail="none yet; `butler login` seals what it makes")
        return
    yield _key(vault, loaded)
    wrong = [(name, why) for name in names if (why := _why_not(vault, name))]
    if wrong:
        yield CheckResult("Sealed credentials", ok=False, detail=wrong[0][1], todo=SIGN_IN)
    elif _others_may(vault.folder):
        todo = f"Run `chmod 700 {vault.folder}`."
        yield CheckResult("Sealed credentials", ok=False, detail=f"others may look into {vault.folder}", todo=todo)
    else:
        yield CheckResult("Sealed credentials", ok=True, detail=f"{', '.join(names)} in {vault.folder}")


def _key(vault: Vault, loaded: Loaded) -> CheckResult:
    name, keys = "Key", vault.keys
    if not keys.changeable:
        return CheckResult(name, ok=True, detail=f"from {keys.where}")
    if not keys.file.exists():
        return CheckResult(name, ok=False, detail=f"{keys.file} is missing", todo=f"Bring it back. {SIGN_IN}")
    if _others_may(keys.file):
        todo = f"Run `chmod 600 {keys.file}`, then `butler login rekey`."
        return CheckResult(name, ok=False, detail=f"others can read {keys.file}", todo=todo)
    if keys.file.resolve().is_relative_to(loaded.data_dir.resolve()):
        detail = f"{keys.file} lies inside of the data folder: whoever has the one has the other, too"
        return CheckResult(name, ok=False, detail=detail, todo="Move it, and set key_file in [butler].")
    return CheckResult(name, ok=True, detail=f"{keys.file} is yours only")


def _why_not(vault: Vault, name: str) -> str:
    try:
        vault.sealed(name)
    except SealedError as error:
        return error.detail
    return ""


def _others_may(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & OTHERS)


def check_credentials(loaded: Loaded, variables: Sequence[str]) -> CheckResult:
    """Report the source of each configured credential, and those that are set in two places."""
    vault, sealed = open_vault(loaded), set(open_vault(loaded).names())
    in_file = read_secrets(loaded.path.resolve().parent / loaded.settings.butler.secrets_file)
    places: dict[str, list[str]] = {"the environment": [], "the secrets file": [], "sealed": []}
    twice: list[str] = []
    for name in dict.fromkeys(variables):
        place = "the environment" if os.environ.get(name) else "the secrets file" if in_file.get(name) else "sealed"
        if place != "sealed" or name in sealed:
            places[place].append(name)
        if name in sealed and vault.set_outside(name):
            twice.append(f"{name} is sealed, and {place} sets it, too, and wins")
    if twice:
        todo = "Take it out there, unless you mean it."
        return CheckResult("Credentials", ok=False, detail="; ".join(twice), todo=todo)
    lines = [
        f"{'sealed' if place == 'sealed' else f'in {place}'}: {', '.join(names)}"
        for place, names in places.items()
        if names
    ]
    return CheckResult("Credentials", ok=True, detail="; ".join(lines) or "none is set")
