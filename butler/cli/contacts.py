"""List, name and forget contacts: implements `butler contacts`. A running daemon reads contacts at each request."""

from datetime import UTC, datetime
from pathlib import Path

from approvals.visible import visible_address, visible_line
from butler.cli.database import changing, reading
from butler.cli.output import counted, json_text
from butler.contract.errors import Refuse
from butler.orchestrator.execution.contact_suggestions import name
from butler.store.queries import audit, contacts, people
from butler.store.queries.contacts import Contact
from config.load import load

ACTOR = "command line"
MOST = 50
KINDS = ("mail:", "telegram:")


def list_contacts(path: Path, *, as_json: bool) -> str:
    """Return all named contacts, then the unnamed people the owner writes to, the most frequent first."""
    owner = frozenset(f"mail:{mail.lower()}" for mail in load(path).settings.owner.emails)
    with reading(path) as connection:
        known = contacts.all_confirmed(connection)
        strange = people.strangers(connection, MOST, owner=owner)
    if as_json:
        return json_text(
            {
                "contacts": [
                    {"contact_id": c.contact_id, "name": c.name, "aliases": c.aliases, "addresses": c.addresses}
                    for c in known
                ],
                "without_a_name": [
                    {
                        "address": s.address,
                        "calls_themselves": s.name,
                        "seen_in": s.sources,
                        "received": s.received,
                        "sent": s.sent,
                    }
                    for s in strange
                ],
            }
        )
    lines = [f"{_names(c)}: {', '.join(map(visible_address, c.addresses)) or 'no address'}" for c in known]
    lines = lines or ["You have given nobody a name yet."]
    if strange:
        lines += ["", "You write to these, and they have no name here (`butler contacts name ADDRESS NAME`):"]
        lines += [
            f"{visible_address(s.address)}  calls themselves {visible_line(s.name) or 'nothing'}; "
            f"{s.received} from them, {s.sent} by you; {', '.join(s.sources)}"
            for s in strange
        ]
    return "\n".join(lines)


def _names(contact: Contact) -> str:
    others = [alias for alias in contact.aliases if alias != contact.name.casefold()]
    return visible_line(f"{contact.name} (also {', '.join(others)})" if others else contact.name)


def name_address(path: Path, address: str, alias: str) -> str:
    """Give a name to an address; raise `Refuse` for an invalid address."""
    full = address if address.startswith(KINDS) else f"mail:{address}"
    if not alias.strip():
        raise Refuse("a name needs at least one letter")
    if full.startswith("mail:") and "@" not in full:
        raise Refuse(f"{address} is no address; write anna@friends.example or telegram:@anna")
    with changing(path) as connection:
        return name(connection, " ".join(alias.split()), full, ACTOR, datetime.now(UTC))


def forget_name(path: Path, alias: str) -> str:
    """Remove a name; raise `Refuse` if nobody has it."""
    with changing(path) as connection:
        found = contacts.forget(connection, alias)
        if not found:
            raise Refuse(f"nobody is called {visible_line(alias)}; `butler contacts` lists all")
        audit.append(connection, "contact.forgotten", alias, ACTOR, {"contacts": found}, datetime.now(UTC))
    return (
        f"{counted(found, 'contact', 'contacts')} forgotten. What stands in butler.toml comes back with the next start."
    )
