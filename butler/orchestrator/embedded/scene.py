"""Holds one request with the data to read it: people by alias, tools by name, the local time."""

from dataclasses import dataclass
from datetime import datetime

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.store.conversation import Referent
from butler.store.queries.contacts import Contact

NOT_SET_UP = {
    "user_telegram": phrase("Your Telegram account is not set up, so I cannot use it."),
    "bot_telegram": phrase("I have no Telegram account of my own yet."),
    "user_email": phrase("Your mailbox is not set up, so I cannot use it."),
    "bot_email": phrase("I have no mailbox of my own yet."),
    "bot_digests": phrase("Digests are switched off, so I can send none and wait for no answers."),
    "bot_notes": phrase("Notes are switched off, so I cannot keep or find any."),
    "bot_reminders": phrase("Reminders are switched off, so I cannot keep or list any."),
    "bot_automations": phrase("Automations are switched off, so I cannot keep or list any."),
    "bot_memory": phrase("My memory is switched off, so I cannot look anything up in it."),
    "bot_web": phrase("Reading pages is switched off."),
    "bot_files": phrase("No folder is set up that I may read."),
    "bot_documents": phrase("Reading documents is switched off."),
    "user_drive": phrase("Your Google Drive is not set up, so I cannot use it."),
    "user_calendar": phrase("Your calendar is not set up, so I cannot use it."),
    "user_trello": phrase("Trello is not set up, so I cannot use it."),
    "bot_livekit": phrase("Calls are not set up; docs/how-to/call-somebody.md tells how to do it."),
    "bot_prometheus": phrase(
        "I cannot see any server: docs/how-to/ask-why-a-server-is-slow.md tells how to let me see metrics and logs."
    ),
}
NOT_SET_UP_EITHER = phrase("What is needed for that is not set up, so I cannot do it.")
WHAT_TO_DO = phrase("Run `butler doctor` to see what is missing.")


@dataclass(frozen=True, slots=True)
class Scene:
    """A request, and people by the words of their aliases."""

    request: PlannerInput
    people: dict[tuple[str, ...], tuple[Contact, ...]]
    longest: int
    """The length of the longest alias, in words."""

    def has(self, tool: str) -> bool:
        """Return whether a tool is registered."""
        return any(spec.tool_name == tool for spec in self.request.tools)

    def accounts(self, tool: str) -> tuple[str, ...]:
        """Return the accounts that a tool can act through, the default one first."""
        return next((spec.accounts for spec in self.request.tools if spec.tool_name == tool), ())

    def now(self) -> datetime:
        """Return the current time in the owner's zone, aware."""
        return self.request.now.astimezone(self.request.zone)

    def contact(self, referent: Referent) -> Contact | None:
        """Return the confirmed contact who wrote a shown item."""
        return next((c for c in self.request.contacts if c.contact_id == referent.contact_id), None)


def scene_of(request: PlannerInput) -> Scene:
    """Index the aliases of a request's contacts."""
    people: dict[tuple[str, ...], tuple[Contact, ...]] = {}
    for contact in request.contacts:
        for key in {words_of(alias) for alias in contact.aliases}:
            if key:
                people[key] = (*people.get(key, ()), contact)
    return Scene(request, people, max(map(len, people), default=0))


def words_of(name: str) -> tuple[str, ...]:
    """Return a name as folded words."""
    return tuple(token.word for token in lex(name).tokens)


def missing(tool: str, scene: Scene) -> str:
    """Return why a tool cannot be used: it is refused, or its account is not set up."""
    why = scene.request.refused.get(tool)
    return not_set_up(tool) if why is None else say("{tool} is refused: {why}.", tool=tool, why=why.rstrip("."))


def not_set_up(tool: str) -> str:
    """Return in plain words which account is missing for a tool."""
    told = NOT_SET_UP.get("_".join(tool.split("_")[:2]), NOT_SET_UP_EITHER)
    return f"{say(told)} {say(WHAT_TO_DO)}"
