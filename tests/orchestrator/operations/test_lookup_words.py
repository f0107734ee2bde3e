"""Looks into the owner's own servers, in their own words; nothing of it where no such server is set up."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from butler.contract.names import Direction
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.store.conversation import Referent
from modules.grafana.module import QueryDashboardArgs
from modules.meilisearch.records import SearchArgs as IndexArgs
from modules.postgres.records import QueryArgs
from modules.qdrant.args import SearchArgs as PointsArgs
from modules.r2.records import GetArgs, PutArgs
from tests.orchestrator.embedded import scene
from tests.orchestrator.operations.scene import TOOLS as REMOTE

_IN = Direction.INPUT
SERVERS = (
    scene.tool("bot_meilisearch_search", IndexArgs, _IN),
    replace(
        scene.tool("bot_qdrant_search", PointsArgs, _IN),
        description="Search by meaning. Collections that take texts: notes, notizen, notas.",
    ),
    scene.tool("bot_grafana_query_dashboard", QueryDashboardArgs, _IN),
    scene.tool("bot_postgres_query", QueryArgs, _IN),
    scene.tool("bot_r2_get_object", GetArgs, _IN),
    scene.tool("bot_r2_put_object", PutArgs, Direction.OUTPUT),
)
INDEX, POINTS, DASHBOARD, ROWS = "meilisearch_search", "qdrant_search", "grafana_query_dashboard", "postgres_query"
GET, PUT = "r2_get_object", "r2_put_object"
FILE_1 = {"file": {"handle": "file-1"}}


def shown(key: str, *, number: int = 1, tool: str = "bot_documents_read", minutes: int = 0) -> Referent:
    at = scene.NOW + timedelta(minutes=minutes)
    return Referent(handle=f"file-{number}", kind=ReferentKind.FILE, key=key, tool=tool, at=at)


async def tools_of(words: str, **changes: Any) -> set[str]:
    output = await scene.plan(words, tools=(*REMOTE, *SERVERS), **changes)
    return {step.tool_call for step in output.steps} if isinstance(output, Planned) else set()


@pytest.mark.parametrize(
    ("words", "tool", "args"),
    [
        ("search the wiki for boiler manual", "meilisearch_search", {"query": "boiler manual"}),
        ("search the documents index for “Rent 2026”", "meilisearch_search", {"query": "Rent 2026"}),
        ("search the notes collection for trees", "qdrant_search", {"collection": "notes", "text": "trees"}),
        ("search the collection notes for old trees", "qdrant_search", {"collection": "notes", "text": "old trees"}),
        ("search qdrant for old trees", "qdrant_search", {"text": "old trees"}),
        ("open the dashboard Home", "grafana_query_dashboard", {"dashboard": "Home"}),
        ("show me the dashboard Web Server", "grafana_query_dashboard", {"dashboard": "Web Server"}),
        ("show me the Home dashboard", "grafana_query_dashboard", {"dashboard": "Home"}),
        ("what does the dashboard Home say?", "grafana_query_dashboard", {"dashboard": "Home"}),
        ("list my dashboards", "grafana_query_dashboard", {}),
        ("show me the web server dashboard since yesterday", DASHBOARD,
         {"dashboard": "web server", "since": "2026-03-03T00:00"}),
        ("open the dashboard Home of the last 2 hours", DASHBOARD, {"dashboard": "Home", "since": "2026-03-04T08:30"}),
        ("what does the load panel of Web servers say since nine?", DASHBOARD,
         {"dashboard": "Web servers", "panel": "load", "since": "2026-03-04T09:00"}),
        ("show me the CPU panel of the Home dashboard", DASHBOARD, {"dashboard": "Home", "panel": "CPU"}),
        ("a link to papers/contract.pdf for two days", GET,
         {"key": "papers/contract.pdf", "link_only": True, "link_minutes": 2880}),
        ("give me a link to lease.pdf in my bucket", GET, {"key": "lease.pdf", "link_only": True}),
        ("search the qdrant collection photos for trees", POINTS, {"collection": "photos", "text": "trees"}),
        ("run SELECT name, 1 FROM people WHERE a = 'x' AND b = 2", "postgres_query",
         {"sql": "SELECT name, 1 FROM people WHERE a = 'x' AND b = 2"}),
        ("query the database: select count(*) from orders", "postgres_query",
         {"sql": "select count(*) from orders"}),
        ("get papers/lease.pdf from the storage", "r2_get_object", {"key": "papers/lease.pdf", "link_only": True}),
    ],
)  # fmt: skip
async def test_a_server_is_asked_in_the_owners_words(words: str, tool: str, args: dict[str, Any]) -> None:
    output = await scene.plan(words, tools=(*REMOTE, *SERVERS))
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert (step.tool_call, step.args) == (f"bot_{tool}", args)
    next(one for one in SERVERS if one.tool_name == step.tool_call).args.model_validate(step.args)


@pytest.mark.parametrize(
    ("words", "tool", "args"),
    [
        ("Zeig mir das Dashboard Home", DASHBOARD, {"dashboard": "Home"}),
        ("öffne mein Dashboard Web Server", DASHBOARD, {"dashboard": "Web Server"}),
        ("Was zeigt das Dashboard Home?", DASHBOARD, {"dashboard": "Home"}),
        ("Welche Dashboards habe ich?", DASHBOARD, {}),
        ("zeig mir meine Dashboards", DASHBOARD, {}),
        ("Durchsuche das Wiki nach Heizung Anleitung", INDEX, {"query": "Heizung Anleitung"}),
        ("such im Index nach Miete 2026", INDEX, {"query": "Miete 2026"}),
        ("durchsuche die Sammlung notizen nach alten Bäumen", POINTS,
         {"collection": "notizen", "text": "alten Bäumen"}),
        ("Hol mir papiere/mietvertrag.pdf aus dem Speicher", GET,
         {"key": "papiere/mietvertrag.pdf", "link_only": True}),
        ("lade die Datei bericht.pdf aus meinem Bucket herunter", GET, {"key": "bericht.pdf", "link_only": True}),
        ("Frag die Datenbank: SELECT count(*) FROM orders", ROWS, {"sql": "SELECT count(*) FROM orders"}),
        ("führe die Abfrage aus: select 1", ROWS, {"sql": "select 1"}),
        ("Montre-moi le tableau de bord Maison", DASHBOARD, {"dashboard": "Maison"}),
        ("que dit le tableau de bord Maison ?", DASHBOARD, {"dashboard": "Maison"}),
        ("montre-moi mes tableaux de bord", DASHBOARD, {}),
        ("cherche chaudière dans le wiki", INDEX, {"query": "chaudière"}),
        ("Recherche dans l'index loyer 2026", INDEX, {"query": "loyer 2026"}),
        ("cherche vieux arbres dans la collection notes", POINTS, {"collection": "notes", "text": "vieux arbres"}),
        ("récupère papiers/bail.pdf du stockage", GET, {"key": "papiers/bail.pdf", "link_only": True}),
        ("donne-moi le fichier bail.pdf dans mon stockage", GET, {"key": "bail.pdf", "link_only": True}),
        ("Interroge la base de données : select 1", ROWS, {"sql": "select 1"}),
        ("exécute la requête : SELECT nom FROM gens", ROWS, {"sql": "SELECT nom FROM gens"}),
        ("Muéstrame el panel Casa", DASHBOARD, {"dashboard": "Casa"}),
        ("¿qué dice el panel Casa?", DASHBOARD, {"dashboard": "Casa"}),
        ("muéstrame mis paneles", DASHBOARD, {}),
        ("busca caldera en la wiki", INDEX, {"query": "caldera"}),
        ("Busca en el índice alquiler 2026", INDEX, {"query": "alquiler 2026"}),
        ("busca árboles viejos en la colección notas", POINTS, {"collection": "notas", "text": "árboles viejos"}),
        ("tráeme papeles/contrato.pdf del almacenamiento", GET, {"key": "papeles/contrato.pdf", "link_only": True}),
        ("descarga el archivo informe.pdf de mi bucket", GET, {"key": "informe.pdf", "link_only": True}),
        ("Consulta la base de datos: select 1", ROWS, {"sql": "select 1"}),
        ("ejecuta la consulta: SELECT nombre FROM gente", ROWS, {"sql": "SELECT nombre FROM gente"}),
    ],
)  # fmt: skip
async def test_a_server_is_asked_in_the_owners_language(words: str, tool: str, args: dict[str, Any]) -> None:
    await test_a_server_is_asked_in_the_owners_words(words, tool, args)


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("put this file into the storage", ""),
        ("Please put it in my bucket.", ""),
        ("upload this pdf to the storage", ""),
        ("save file-1 to r2", ""),
        ("store this file in the bucket as reports/march.pdf", "reports/march.pdf"),
        ("store this as reports/march.pdf in the bucket", "reports/march.pdf"),
        ("save this document in the storage under the name “March report.pdf”", "March report.pdf"),
        ("Leg diese Datei in den Speicher", ""),
        ("speichere das im Bucket ab", ""),
        ("Speichere diese Datei im Bucket als berichte/maerz.pdf", "berichte/maerz.pdf"),
        ("leg das unter berichte/maerz.pdf im Speicher ab", "berichte/maerz.pdf"),
        ("Mets ce fichier dans le stockage", ""),
        ("enregistre ce fichier dans mon bucket sous le nom rapports/mars.pdf", "rapports/mars.pdf"),
        ("Guarda este archivo en el almacenamiento", ""),
        ("sube esto al bucket como informes/marzo.pdf", "informes/marzo.pdf"),
    ],
)  # fmt: skip
async def test_a_file_that_was_sent_is_put_into_the_storage(words: str, key: str) -> None:
    file, newer = shown("a" * 64), shown("b" * 64, number=2, minutes=5)
    tools = (*REMOTE, *SERVERS)
    replied = await scene.plan(words, referents=(*scene.SHOWN, file, newer), replied_to=(file,), tools=tools)
    followed = await scene.plan(words, referents=(*scene.SHOWN, file), tools=tools)
    for output in (replied, followed):
        assert isinstance(output, Planned), output
        (step,) = output.steps
        assert (step.tool_call, step.args) == (f"bot_{PUT}", FILE_1 | ({"key": key} if key else {}))


async def test_the_file_of_the_mail_that_is_replied_to_is_put_there_and_no_other() -> None:
    mail = scene.mail(9, shown_in="m5").model_copy(update={"at": scene.NOW})
    file, newer = shown("a" * 64), shown("b" * 64, number=2, minutes=5)
    for words in ("put the attachment into the storage", "leg den Anhang in den Speicher", "put it in the bucket"):
        output = await scene.plan(words, referents=(mail, file, newer), replied_to=(mail,), tools=(*REMOTE, *SERVERS))
        assert isinstance(output, Planned), output
        assert output.steps[0].args == FILE_1


async def test_where_no_such_file_was_sent_it_is_asked_which() -> None:
    tools = (*REMOTE, *SERVERS)
    none = await scene.plan("put this file into the storage", tools=tools)
    assert isinstance(none, Unclear)
    assert none.question == "I don't know which file you mean. Send it to me here, or reply to it."
    path = shown("papers/lease.pdf", tool="bot_files_list")
    listed = await scene.plan("put this file into the storage", referents=(path,), replied_to=(path,), tools=tools)
    assert isinstance(listed, Unclear)
    assert listed.question == "I can only put a file there that you sent me here, or that came with a mail."
    two = (shown("a" * 64), shown("b" * 64, number=2))
    which = await scene.plan("put this file into the storage as a/b.pdf", referents=two, tools=tools)
    assert isinstance(which, Unclear)
    assert which.choices[1].words == 'put file-2 into the storage as "a/b.pdf"'
    chosen = await scene.plan(which.choices[1].words, referents=two, tools=tools)
    assert isinstance(chosen, Planned)
    assert chosen.steps[0].args == {"file": {"handle": "file-2"}, "key": "a/b.pdf"}


@pytest.mark.parametrize(
    "words",
    ["run DROP TABLE people", "run the dishwasher", "search my mail for wiki", "show me the family chat",
     "get milk from the shop", "query the weather", "search for trees",
     "search my mail for the dashboard", "what's in the database course mail", "get the file from Anna",
     "show me the mail about the dashboard", "show me Anna's message about the dashboard",
     "read the note on the dashboard", "open the file about the dashboard", "show me the dashboard mail from Anna",
     "run with the dog tomorrow", "ask the database team whether it works", "run table tennis on Sunday",
     "get the boxes from the storage", "get Anna from the station", "look in the index",
     "put the file on my desk", "put milk in the bucket list", "put this on my bucket list",
     "save this in my notes", "store this for me: the locker is 4711", "remind me to put this file into the storage",
     "tell Anna to get reports/march.pdf from the storage", "tell Bob: put this file into the bucket",
     "search my mail for the index", "find the dashboard mail",
     "Suche in meinen Mails nach dem Dashboard", "hol Milch aus dem Keller", "Zeig mir die Mails über das Dashboard",
     "Zeig mir die Mail von Anna", "leg das auf den Tisch", "frag Anna nach der Datenbank",
     "cherche le tableau de bord dans mes mails", "montre-moi les mails de la base de données",
     "récupère Anna à la gare", "mets ça dans mes notes", "montre-moi mes tableaux",
     "busca el panel en mis correos", "trae leche de la tienda", "guarda esto en mis notas", "muéstrame mis tableros"],
)  # fmt: skip
async def test_what_is_about_something_else_asks_no_server(words: str) -> None:
    file = shown("a" * 64)
    found = await tools_of(words, referents=(*scene.SHOWN, file), replied_to=(file,))
    assert not found & {tool.tool_name for tool in SERVERS}


async def test_without_such_a_server_its_words_mean_nothing_of_it() -> None:
    output = await scene.plan("search the wiki for boiler manual", tools=REMOTE)
    steps = output.steps if isinstance(output, Planned) else ()
    assert "bot_meilisearch_search" not in {step.tool_call for step in steps}


async def test_a_link_for_longer_than_a_week_is_offered_for_a_week() -> None:
    tools = (*REMOTE, *SERVERS)
    found = await scene.plan("a link to papers/contract.pdf for a month", tools=tools)
    assert not isinstance(found, Planned)
    longer = await scene.plan("a link to papers/contract.pdf for two weeks", tools=tools)
    assert isinstance(longer, Unclear)
    (choice,) = longer.choices
    week = await scene.plan(choice.words, tools=tools)
    assert isinstance(week, Planned)
    assert week.steps[0].args == {"key": "papers/contract.pdf", "link_only": True, "link_minutes": 10080}
