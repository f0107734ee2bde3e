"""Ordinary sentences that sound like servers, calls and databases, and are about something else.

Each could be about a server as well, to whoever has one: they were chosen for that. A look at a server does no harm;
what counts is that few of them are taken for one.
"""

import pytest

from butler.orchestrator.planning.plan_types import Planned
from tests.orchestrator.embedded import scene
from tests.orchestrator.operations.scene import CREATE, JOIN, LOGS, METRICS, SERVERS, TOOLS

REMOTE = (*TOOLS, *SERVERS)
ASKS_SERVERS = frozenset(tool.tool_name for tool in (*SERVERS, METRICS, LOGS, CREATE, JOIN))
AT_MOST = 0.4
WORDS = (
    # Rooms of houses, and what is run by people.
    "open a room for two at the hotel", "make a room for Anna", "make room for the meeting", "book a room for two",
    "make a room for the meeting at the hotel", "open a room for class tomorrow", "set up a room for the guests",
    "open a bottle for Anna", "run with Anna tomorrow at 9",
    "run table tennis with Bob tomorrow", "execute with joy the plan", "run values by Anna", "select a wine",
    "execute the plan with Bob", "call off the meeting", "call me a cab", "call it a day", "phone home screen",
    # Things that are stored and collected, and dashboards of other machines.
    "get the milk from the storage", "get the bikes out of the storage", "a link to the recipe", "a link to Anna",
    "give me a link to https://example.com/a/b.pdf", "the link to my heart",
    "look in my book collection for Tolkien",
    "search my stamp collection for the red one", "look in the collection of recipes for lasagne",
    "open the dashboard of my car", "clean the dashboard", "what does the panel of judges say?",
    "what does Anna's panel of experts say?", "show me the mail since yesterday", "how is your memory?",
    "is the server at the restaurant nice?", "the server was slow at dinner",
    # Boxes, hosts and machines.
    "what's wrong with the box", "how is the host?", "is the machine loud?", "is my box ok?", "check the box",
    "what happened to the box?", "how busy is the host?", "is the machine still running?", "the machine is loud",
    "status of the box", "why is the machine loud?", "why is the host so busy?", "how is the washing machine",
    # Loads, memories and errors of people.
    "my load today", "how's my load today?", "how high is my load", "my swap today", "what's my load this week",
    "how is the traffic today", "how heavy is the traffic?", "any errors?", "any errors in my text?",
    "any problems since yesterday?", "what did the baker say?", "what did Anna log?",
    "how is the network of friends",
    "what happened at nine?", "what happened on Monday?", "search the log book for Anna", "log a note about rsync",
    # German.
    "mach ein Zimmer für Anna fertig", "was ist mit der Kiste los?", "wie geht es dem Gastgeber?",
    "hol die Milch aus dem Lager", "warum ist mein Rechner so laut?",
    "ist die Maschine laut?", "zeig mir die letzten 2 Wochen", "ruf ein Taxi",
    "wie viel Speicher hat mein Handy?", "der Kellner ist langsam", "such in meiner Sammlung nach Tolkien",
    # French.
    "réserve une chambre pour deux", "appelle un taxi", "qu'est-ce qui ne va pas avec la boîte ?",
    "comment va l'hôte ?", "sors le lait du frigo", "la machine est lente et bruyante",
    "combien de mémoire as-tu ?",
    # Spanish.
    "reserva una habitación para dos", "llama a un taxi", "¿qué le pasa a la caja?", "¿cómo está el anfitrión?",
    "saca la leche del almacén", "la máquina hace ruido", "¿cuánta memoria tienes?",
)  # fmt: skip


@pytest.mark.nightly
async def test_few_of_the_things_that_people_say_of_something_else_ask_a_server() -> None:
    asked = [words for words in WORDS if await asks_server(words)]
    assert len(asked) / len(WORDS) <= AT_MOST, asked


async def asks_server(words: str) -> bool:
    """Whether a plan of these words looks at a server, or opens a call."""
    output = await scene.plan(words, tools=REMOTE)
    steps = output.steps if isinstance(output, Planned) else ()
    return bool({step.tool_call for step in steps} & ASKS_SERVERS)
