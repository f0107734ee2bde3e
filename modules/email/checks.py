"""Checks of mail accounts for `butler doctor` beyond signing in: capabilities, stamps, consents.

Each side of the module calls those it needs: `mailbox_checks` and `stamp_checks` with its IMAP integration,
`consent_checks` for an account that is signed in by consent.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import IntegrationFault, SealedError
from butler.contract.module import CheckResult
from butler.contract.ports import Clock, Vault
from butler.mime.tolerant import headers_only
from modules._accounts.oauth import TESTING_LIFETIME, AccessTokens, Consent, read_consent
from modules.email.imap.methods import CHECK_IMAP, CHECK_SMTP, FETCH, SEARCH
from modules.email.live_check import live_check

LOOKED_AT = 10
"""The number of newest mails whose stamps are read."""
_ABILITIES = {
    "IDLE": "new mail is noticed only when it is looked for",
    "MOVE": "mails are moved by copying and deleting",
    "UIDPLUS": "a copy's place has to be searched for",
    "CONDSTORE": "every look compares all flags",
}
"""Capabilities that a server may have, and the consequence of each missing one."""
_NOT_TOLD = frozenset({"offline_access", "openid", "email", "profile"})


async def mailbox_checks(integration: BaseIntegration, name: str, sending: str, todo: str) -> list[CheckResult]:
    """Check that both servers accept the login, and report what IMAP offers; `name` and `sending` title the lines."""
    result = await integration.request("doctor", CHECK_IMAP)
    if result.error is not None:
        lines = [CheckResult(name, ok=False, detail=result.error.message, todo=todo)]
    else:
        found = result.data or {}
        lines = [
            CheckResult(name, ok=True, detail=str(found["detail"])),
            abilities(f"{name}: abilities", found["capabilities"]),
        ]
    return [*lines, await live_check(sending, integration, CHECK_SMTP, todo)]


def abilities(name: str, capabilities: Sequence[str]) -> CheckResult:
    """Report the server's capabilities; Butler works without any of them, so none is an error."""
    missing = {ability: cost for ability, cost in _ABILITIES.items() if ability not in capabilities}
    offered = ", ".join(ability for ability in _ABILITIES if ability in capabilities)
    without = "; ".join(f"without {ability} {cost}" for ability, cost in missing.items())
    return CheckResult(name, ok=True, detail="; ".join(filter(None, [offered, without])))


async def stamp_checks(integration: BaseIntegration, name: str, authserv_id: str) -> list[CheckResult]:
    """Check that the butler's server writes `Authentication-Results` under the name in the settings.

    An unreadable mailbox is reported by another line.
    """
    newest = await _newest_headers(integration)
    return [] if newest is None else [_stamps(newest, name, authserv_id)]


def _stamps(newest: Sequence[bytes], name: str, authserv_id: str) -> CheckResult:
    if not newest:
        return CheckResult(name, ok=True, detail="no mail yet to look at")
    stamped: Counter[str] = Counter(stamp for header in newest if (stamp := top_stamp(header)))
    looked = "the newest mail" if len(newest) == 1 else f"the newest {len(newest)} mails"
    by = next((stamp for stamp, count in stamped.most_common(1) if count == len(newest)), "")
    if not authserv_id:
        text = f"{by} stamps them" if by else "no server stamps them all"
        detail = f"nobody's are believed, and signatures are checked here ({text})"
        return CheckResult(name, ok=True, detail=detail, todo=_believe(by))
    if count := stamped[authserv_id.lower()]:
        return CheckResult(name, ok=True, detail=f"{authserv_id} stamps mails ({count} of {looked})")
    detail = f"{authserv_id} has stamped none of {looked}" + (f"; {by} stamps them" if by else "")
    todo = _believe(by) or 'Ask your mail provider, or set authserv_id = "": signatures are checked here all the same.'
    return CheckResult(name, ok=False, detail=detail, todo=todo)


def _believe(by: str) -> str:
    return f'If that is your own mail server, set authserv_id = "{by}" in [modules.email.bot].' if by else ""


def top_stamp(header: bytes) -> str:
    """Return the topmost `Authentication-Results` server in lower case; only that can be the receiving server."""
    headers, _ = headers_only(header)
    words = next(iter(headers.get("authentication-results", ())), "").partition(";")[0].split()
    return words[0].lower() if words else ""


async def _newest_headers(integration: BaseIntegration) -> list[bytes] | None:
    """Return the headers of the newest mails; None if they cannot be read."""
    found = await integration.request("doctor", SEARCH)
    if found.data is None:
        return None
    uids: list[int] = found.data["uids"][:LOOKED_AT]
    if not uids:
        return []
    args = {"uidvalidity": found.data["uidvalidity"], "uids": uids, "headers_only": True}
    fetched = await integration.request("doctor", FETCH, args)
    if fetched.data is None:
        return None
    headers: dict[int, bytes] = fetched.raw or {}
    return list(headers.values())


async def consent_checks(
    vault: Vault, variable: str, clock: Clock, *, name: str, wanted: Sequence[str], command: str, authority: str
) -> list[CheckResult]:
    """Check that a consent is valid and has the right scopes; report its account, age and end."""
    tokens = AccessTokens(vault, variable, clock, command=command, authority=authority)
    try:
        await tokens.get()
        consent = read_consent(vault.get(variable))
    except (IntegrationFault, SealedError) as error:
        return [CheckResult(f"{name}: consent", ok=False, detail=error.detail, todo=f"Run `{command}`.")]
    lines = [_age(consent, clock.now(), f"{name}: consent", authority)] if consent else []
    return [*lines, scopes_check(f"{name}: scopes", tokens.scopes, wanted, command)]


def _age(consent: Consent, now: datetime, name: str, authority: str) -> CheckResult:
    whose = consent.account or f"accepted by {authority}"
    if consent.consented_at is None:
        return CheckResult(name, ok=True, detail=f"{whose}; made outside of Butler, so its age is not known")
    age = now - consent.consented_at
    given = f"{whose}; given on {consent.consented_at:%d %B %Y}"
    if consent.ends_at is not None:
        todo = "Publish the project at Google, and sign in once more: then it stays."
        detail = f"{given} to a project in testing mode; ends on {consent.ends_at:%d %B %Y}"
        return CheckResult(name, ok=True, detail=detail, todo=todo)
    if authority == "Google" and age <= TESTING_LIFETIME:
        return CheckResult(name, ok=True, detail=f"{given}; {authority} has named no end of it")
    return CheckResult(name, ok=True, detail=f"{given}; lasts until you take it back")


def scopes_check(name: str, granted: Sequence[str], wanted: Sequence[str], command: str) -> CheckResult:
    """Compare the granted scopes with the needed ones: fewer do not work, and Butler should not hold more."""
    missing = [_short(scope) for scope in wanted if scope not in granted and scope not in _NOT_TOLD]
    extra = [_short(scope) for scope in granted if scope not in wanted and scope not in _NOT_TOLD]
    if not granted:
        return CheckResult(name, ok=True, detail="the provider does not tell them")
    if missing:
        todo = f"Run `{command}` and allow all that it asks for."
        return CheckResult(name, ok=False, detail=f"missing: {', '.join(missing)}", todo=todo)
    if extra:
        todo = f"Take the consent back at your provider, and run `{command}`: it asks for the least."
        return CheckResult(name, ok=True, detail=f"more than needed: {', '.join(extra)}", todo=todo)
    return CheckResult(name, ok=True, detail=", ".join(_short(scope) for scope in granted))


def _short(scope: str) -> str:
    return scope.rpartition("/")[2] or scope
