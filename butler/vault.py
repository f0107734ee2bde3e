"""Credentials of accounts: what the environment or the secrets file says, else what `butler login` sealed on disk."""

from collections.abc import Callable, Mapping


class Vault:
    """Meets `butler.contract.ports.Vault`."""

    def __init__(self, secrets: Mapping[str, str], seen: Callable[[str], None] = lambda _: None) -> None:
        self._secrets, self._seen = secrets, seen

    def get(self, name: str) -> str:
        return self._secrets.get(name, "").strip()

    def put(self, name: str, value: str) -> None:
        raise NotImplementedError
