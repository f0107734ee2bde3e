"""The tailor's own sentences, in the owner's language; everything else is quoted."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wording:
    """One language's sentences."""

    insufficient: str
    """Says that the passages found do not answer the question."""
    no_amount: str
    no_date: str
    no_number: str
    no_contact: str
    """Says, as the three above, that the passages found are on topic but lack the kind of thing asked for."""
    shown: str
    """Introduces quotes that lack the kind of thing asked for."""
    says: str
    """Introduces a quote; takes `source`."""
    page: str
    """Names a page of a source; takes `number`."""
    untitled: str
    beginning: str
    """Introduces a document's first sentences in place of a summary."""
    quote: tuple[str, str]
    """The quotation marks."""


WORDINGS: dict[str, Wording] = {
    "en": Wording(
        insufficient="What I found does not answer that.",
        no_amount="I found something about it, but no amount.",
        no_date="I found something about it, but no date.",
        no_number="I found something about it, but no number.",
        no_contact="I found something about it, but no address or number to reach anybody.",
        shown="Here is what I found:",
        says="{source} says:",
        page="page {number}",
        untitled="A source",
        beginning="Without a language model I cannot sum it up. It begins like this:",
        quote=("“", "”"),
    ),
    "de": Wording(
        insufficient="Was ich gefunden habe, beantwortet das nicht.",
        no_amount="Ich habe etwas dazu gefunden, aber keinen Betrag.",
        no_date="Ich habe etwas dazu gefunden, aber kein Datum.",
        no_number="Ich habe etwas dazu gefunden, aber keine Zahl.",
        no_contact="Ich habe etwas dazu gefunden, aber keine Adresse oder Nummer.",
        shown="Das habe ich gefunden:",
        says="Dort steht ({source}):",
        page="Seite {number}",
        untitled="eine Quelle",
        beginning="Ohne Sprachmodell kann ich es nicht zusammenfassen. So fängt es an:",
        quote=("„", "“"),
    ),
    "fr": Wording(
        insufficient="Ce que j’ai trouvé ne répond pas à cette question.",
        no_amount="J’ai trouvé quelque chose à ce sujet, mais aucun montant.",
        no_date="J’ai trouvé quelque chose à ce sujet, mais aucune date.",
        no_number="J’ai trouvé quelque chose à ce sujet, mais aucun nombre.",
        no_contact="J’ai trouvé quelque chose à ce sujet, mais ni adresse ni numéro.",
        shown="Voici ce que j’ai trouvé :",
        says="On y lit ({source}) :",
        page="page {number}",
        untitled="une source",
        beginning="Sans modèle de langue, je ne peux pas le résumer. Voici comment il commence :",
        quote=("« ", " »"),
    ),
    "es": Wording(
        insufficient="Lo que he encontrado no responde a eso.",
        no_amount="He encontrado algo al respecto, pero ningún importe.",
        no_date="He encontrado algo al respecto, pero ninguna fecha.",
        no_number="He encontrado algo al respecto, pero ningún número.",
        no_contact="He encontrado algo al respecto, pero ninguna dirección ni número.",
        shown="Esto es lo que he encontrado:",
        says="Allí dice ({source}):",
        page="página {number}",
        untitled="una fuente",
        beginning="Sin un modelo de lenguaje no puedo resumirlo. Empieza así:",
        quote=("«", "»"),
    ),
}


def wording(language: str) -> Wording:
    """Return the sentences of a language, or the English ones."""
    return WORDINGS.get(language, WORDINGS["en"])
