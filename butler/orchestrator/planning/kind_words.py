"""The owner's words for kinds of things, in English, German, French and Spanish."""

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase
from butler.orchestrator.embedded.lexer import word_set

NOUNS = {
    ReferentKind.AUTOMATION: word_set(
        "automation automations workflow workflows trigger triggers webhook webhooks automatisierung automatisierungen "
        "automatik automationen automatismus automatismen automatisation automatisations automatisme automatismes "
        "automatización automatizaciones automatismo automatismos"
    ),
    ReferentKind.RULE: word_set("rule rules regel regeln dauerregel dauerregeln règle règles regla reglas"),
    ReferentKind.RUN: word_set("run runs massenlauf sammellauf massenläufe sammelläufe sammelaktion massenaktion"),
    ReferentKind.CONTACT: word_set("contact contacts kontakt kontakte kontakten contacto contactos"),
    ReferentKind.REMINDER: word_set(
        "reminder reminders alarm alarms timer timers erinnerung erinnerungen wecker rappel rappels recordatorio "
        "recordatorios aviso avisos"
    ),
    ReferentKind.EVENT: word_set(
        "event events meeting meetings appointment appointments call calls calendar series termin termine besprechung "
        "besprechungen treffen verabredung verabredungen kalender serie rendez-vous rdv événement événements réunion "
        "réunions entretien calendrier agenda série cita citas evento eventos reunión reuniones calendario"
    ),
    ReferentKind.MAIL: word_set(
        "mail mails email emails e-mail e-mails newsletter newsletters thread threads inbox message messages draft "
        "drafts nachricht nachrichten courriel courriels correo correos mensaje mensajes"
    ),
    ReferentKind.MESSAGE: word_set("message messages msg chat nachricht nachrichten mensaje mensajes text"),
    ReferentKind.CARD: word_set(
        "card cards task tasks ticket tickets karte karten aufgabe aufgaben carte cartes tâche tâches tarjeta "
        "tarjetas tarea tareas"
    ),
    ReferentKind.BOARD: word_set("board boards list tafel tableau tableaux tablero tableros"),
    ReferentKind.NOTE: word_set("note notes notiz notizen nota notas"),
    ReferentKind.SOURCE: word_set(
        "source sources memory entry document quelle quellen gedächtnis mémoire fuente fuentes memoria"
    ),
    ReferentKind.FILE: word_set(
        "file files document documents pdf attachment attachments photo photos datei dateien dokument dokumente anhang "
        "anhänge fichier fichiers pièce archivo archivos documento documentos adjunto adjuntos"
    ),
    ReferentKind.PAGE: word_set("page pages link links article site website seite seiten página páginas"),
}
"""Nouns by the kind that they name; some nouns name several kinds. The names of a channel are its own `brands`."""

NONE_THERE = {
    ReferentKind.AUTOMATION: phrase("You have no automations."),
    ReferentKind.REMINDER: phrase("There is no reminder in what I showed you last."),
    ReferentKind.EVENT: phrase("There is no event in what I showed you last."),
    ReferentKind.MAIL: phrase("There is no mail in what I showed you last."),
    ReferentKind.MESSAGE: phrase("There is no message in what I showed you last."),
    ReferentKind.CARD: phrase("There is no card in what I showed you last."),
    ReferentKind.NOTE: phrase("There is no note in what I showed you last."),
}
NOTHING_THERE = phrase("There was nothing in what I showed you last, so I did nothing.")
"""The answer to a reference to an empty list."""
