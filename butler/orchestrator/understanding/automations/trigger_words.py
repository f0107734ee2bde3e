"""Words for triggers of automations, in English, German, French and Spanish."""

import re


def _words(*options: str) -> re.Pattern[str]:
    """Return a pattern for whole words or phrases; of options with a common beginning, the longer must come first."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(options)})(?!\w)", re.IGNORECASE)


WHEN_END = _words(
    r"(?:as soon as|(?:each|every|any) time|whenever|when|if|once)(?: that)?",
    r"(?:immer,? wenn|jedes ?mal,? wenn|wann immer|wenn|sobald|falls)",
    r"(?:(?:à )?chaque fois qu(?:e|')|toutes les fois que|dès qu(?:e|')|lorsqu(?:e|')|quand|si(?: jamais)?)",
    r"(?:cada vez que|siempre que|en cuanto|cuando|apenas|si)",
)
"""Conjunctions before a trigger; the last one belongs to the automation's name."""
NEVER = _words(
    r"\w+n't", "not", "never", "nobody", "no one", "nothing", "without", "silent",
    "nicht", "nie", "niemand", "nix", "nichts", "kein(?:e[nrms]?)?", "ohne",
    "pas", "plus", "jamais", "personne", "rien", "sans", "nadie", "nunca", "nada", "sin", "no",
)  # fmt: skip
"""Negations: an absence is no event."""
LATE = _words("overdue", "late", "due", r"[üu]e?berf[äa]e?llig\w*", "en retard", r"vencid\w+", r"atrasad\w+")
UNTIL = _words(
    "while", "before", "unless", "until", "which", "who", "whose", "that", "than", "where", "because",
    "während", "bevor", "außer", "dass", "ob", "als", "pendant", "avant", "sauf", "qu", "tandis", "sobre que",
    "mientras", "antes", "excepto", "salvo", "fuera", "outside", "außerhalb", "en dehors", "more", "less", "mehr",
    "moins", "más", "menos",
    "english", "german", "french", "spanish", r"englisch\w*", r"deutsch\w*", r"französisch\w*", "spanisch", "anglais",
    "allemand",
    "français", "espagnol", "inglés", "alemán", "francés", "español",
)  # fmt: skip
"""Words before further conditions, which no fact of an event can check."""
QUOTED = re.compile(r"[\"“”„«]\s*([^\"“”„«»]+?)\s*[\"“”»]|(?<!\w)['‘‚]([^'‘’‚]+)['’](?!\w)")
NIGHT = _words("(?:at|by|during the) night", "nachts", "in der nacht", "la nuit", "de nuit", "pendant la nuit",
               "(?:de|por la) noche", "de madrugada")  # fmt: skip
AFTER = re.compile(
    r"(?<!\w)(?:after|nach|ab|après|apres|à partir de|passé|después de|despues de|a partir de) "
    r"((?:las? )?[\w:]+(?: ?(?:uhr|h|heures?|[ap]m|o'clock|abends|du soir|in the evening|de la (?:noche|"
    r"tarde))(?!\w))*)(?!\w)",
    re.IGNORECASE,
)
RUN = _words(r"bulk (?:run|operation)\w*", r"massenlauf|sammellauf|sammelaktion|massenaktion",
             r"(?:opération|action)s? (?:en|de) masse", r"(?:operación|acción) masiva")  # fmt: skip
FAILS = _words("fails?", "breaks?", "goes wrong", "scheitert", "fehlschlägt", "schiefgeht", "misslingt", "échoue",
               "rate", "falla", "falle", "fracasa")  # fmt: skip
ALERT = _words(
    "alerts?", "alarms?", "alerting", r"\w*alarm", "alarme", r"alertes?", r"alertas?", r"warnmeldung\w*",
    r"(?:the |my |our |der |mein |unser |le |mon |el |mi )?(?:server|serveur|servidor)s?",
)  # fmt: skip
FIRES = _words(
    "fires?", "goes off", "is firing", r"(?:goes|is|falls) down", "stops (?:answering|responding|working)",
    "crash(?:es)?",
    "auslöst", "losgeht", "feuert", "ausfällt", "abstürzt", "steht", "down ist", "down geht", r"(?:se )?déclenche",
    "est déclenchée", "sonne", "tombe(?: en panne)?", "plante", "rame", "salt[ae]", "se dispar[ae]", r"se ca(?:e|iga)",
    "suena", "kommt", "arrive", "comes", "llega",
)  # fmt: skip
RESOLVED = _words("resolved", "is over", "clears", "vorbei", "behoben", "résolue", "terminée", "resuelta", "resuelve")
CARD = _words("(?:a |the |any )?(?:new )?(?:trello )?cards?", r"(?:eine? )?(?:neue )?(?:trello-?)?karten?",
              r"(?:une )?(?:nouvelle )?cartes?", r"(?:una )?(?:nueva )?tarjetas?(?: nuevas?)?")  # fmt: skip
CARD_MOVES = _words(
    "lands", "ends up", "is moved", "moves?", "gets moved", "goes", "comes", "puts?", "is put",
    "verschoben wird", "verschiebt",
    "landet", "wandert", "rutscht",
    "kommt", "gezogen wird", "met", "mette", "arrive", "passe", "est déplacée", "déplace", "mueve", "mueva", "pase",
    "pasa",
    "llega", "llegue", "cae", "caiga", "acabe", "acaba", "pone", "ponga",
)  # fmt: skip
CARD_MADE = _words("is (?:added|made|created)", "appears", "adds?", "creates?", "angelegt wird", "erstellt(?: wird)?",
                   "anlegt", "est (?:créée|ajoutée)", "crée", "ajoute", "se cre[ae]", "cre[ae]",
                   "añad[ae]")  # fmt: skip
IN_LIST = re.compile(
    r"(?<!\w)(?:in(?:to)?|to|on|nach|auf|zu|zur|dans|à|en|a|sur) (?:the |my |die |der |den |das |la |le |el |mi )?"
    r"(?:(?:list|column|liste|spalte|lista|columna) )?([^\s|,].*?)(?: (?:list|column))?"
    r"(?=\s*(?:\||$|,| on the | on my | auf dem | sur le | en el | del ))",
    re.IGNORECASE,
)
BOARD = re.compile(
    r"(?<!\w)(?:on|of|in|auf|vom|im|sur|du|dans|en|del) (?:the |my |dem |meinem |le |el |mi )?(?:"
    r"(?:board|tableau|tablero) (?:de |d')?([^|,]+?)|([^|,]+?)[ -]?board)(?=\s*(?:\||$|,))",
    re.IGNORECASE,
)
FILE = _words("(?:a |the |any |new )*(?:file|document)s?", r"(?:eine? |neue )*(?:datei|dokument)(?:en|e)?",
              r"(?:un |nouveau |nouveaux )*(?:fichier|document)s?",
              r"(?:un |nuevos? )*(?:archivo|documento|fichero)s?(?: nuevos?)?")  # fmt: skip
FILE_PLACE = _words(r"drive", r"(?:shared )?folder", r"ordner", "dossier", "carpeta")
EVENT = _words(
    r"(?:calendar )?(?:event|appointment|meeting)s?", "one-to-ones?", r"\w*termine?", "besprechung(?:en)?",
    r"rendez-vous",
    "rdv", r"réunions?", r"reunions?", r"[ée]v[éè]nements?", r"reuni[oó]n(?:es)?", "citas?", "eventos?",
)  # fmt: skip
BEGINS = _words("begins?", "starts?", r"is about to (?:begin|start)", "is coming up", "beginnt", "anfängt", "losgeht",
                "ansteht", "startet", "commence", "débute", "va commencer", r"empie(?:za|ce)", r"comien(?:za|ce)",
                "vaya a empezar", "va a empezar")  # fmt: skip
CANCELS = _words("cancels?", "is cancell?ed", "gets cancell?ed", "calls off", "absagt", "abgesagt wird", "storniert",
                 "annule", "est annulée?", "cancel[ae]", "anul[ae]", "se cancel[ae]")  # fmt: skip
MOVES = _words("moves?", "is moved", "reschedules?", "changes?", "verschiebt", "verschoben wird", "verlegt", "ändert",
               "déplace", "décale", "reporte", "est déplacée?", "cambi[ae]", "muev[ae]", "aplaz[ae]")  # fmt: skip
INVITE = _words(r"(?:calendar |meeting )?invit(?:e|es|ation|ations)", r"(?:termin)?einladung(?:en)?",
    r"invitaci[oó]n(?:es)?",
                r"m'invit\w+", r"me inviten?", r"invites? me", r"mich einlädt")  # fmt: skip
MAIL = _words(
    r"e-?mails?", "mails?", r"courriels?", "mél", r"correos?(?: electr[oó]nicos?)?", r"inbox", "posteingang",
    r"bo[iî]te (?:de )?r[ée]ception", r"bandeja(?: de entrada)?", r"m'e-?mail\w*", "mailt", "mailed", "emailed",
)  # fmt: skip
CHAT = _words(
    r"(?:on|by|via|per|auf|über|sur|par|por|en|in) (?:telegram|tg)", "telegram", "tg", r"texts?", "textes",
    "messages", r"messages?", "nachrichten", "nachricht", "mensajes?",
    "chats?", "dm", "dms", "textet",
)  # fmt: skip
NEWS = _words(
    r"newsletters?", r"\w*newsletter", r"promotions?", "promos?", "ads", "adverts?", r"advertis\w+", r"mailing ?lists?",
    r"werbe\w*", "werbung", "reklame", r"infolettres?", "pubs?", r"publicit\w+", "publicidad", r"bolet[ií]n(?:es)?",
    "propaganda",
    "marketing",
)  # fmt: skip
"""Words for mails from lists and machines."""
WITH_FILE = _words(
    r"(?:(?:with|has|having) )?(?:an? |some |any )?(?:pdf )?attachments?",
    r"(?:with |has )(?:an? |any )?(?:pdf|file)s?",
    r"(?:mit |hat )?(?:einem |einen |ner )?anh[aä]nge?n?(?: pdf)?", r"mit (?:einer |einem )?(?:pdf|datei)",
    r"(?:avec )?(?:une |des )?pi[eè]ces? jointes?(?: pdf)?", r"avec (?:un |des )?(?:pdf|fichier)s?",
    r"(?:con )?(?:un )?(?:archivos? )?adjuntos?(?: pdf)?", r"con (?:un )?(?:pdf|archivo)s?",
)  # fmt: skip
IN_SUBJECT = _words("in (?:the|its|their) (?:subject|title)(?: line)?", "im betreff",
    r"dans (?:le sujet|l'objet|le titre)",
                    "en (?:el|su) asunto")  # fmt: skip
IN_TEXT = _words(
    "in (?:it|the text|its text|the body)", r"im text|drin", "dans le (?:texte|corps)", "en el texto|dentro"
)
SUBJECT = re.compile(
    r"(?<!\w)(?:(?:with |and )?(?:the )?subject|(?:mit |dem )*betreff|(?:avec )?(?:l'|pour )?objet|"
    r"(?:con )?(?:el )?asunto)"
    r"[ :]+([^|]+)",
    re.IGNORECASE,
)
HOLDS = re.compile(
    r"(?<!\w)(?:contain(?:s|ing)?|mention(?:s|ing)?|say(?:s|ing)?|talks? about|speaks? of|asks?(?: about| for)?|"
    r"mit dem wort|enthält|erwähnt|von (?=\w+ spricht)|schreibt|"
    r"contient|contenant|parle(?:nt)? (?:de |d'|du |des )|mentionne|dit|annonce|"
    r"trae|traiga|contiene|contenga|menciona|mencione|diga|hable de|habla de)"
    r"(?: (?:the words?|das wort|le mot|la palabra|an?|the|une?|la|le|el|les?))? ?([^|]+)",
    re.IGNORECASE,
)
ABOUT = re.compile(
    r"(?<!\w)(?:about|regarding|concerning|titled|called|with the words?|with|on|über|wegen|zu|mit|bezüglich|sur|"
    r"concernant|"
    r"à propos de|avec|sobre|acerca de|con) (?:(?:the words?|dem wort|le mot|la palabra) )?([^|]+)",
    re.IGNORECASE,
)
FROM = re.compile(
    r"(?<!\w)(?:(?:that |which |qui |que )?(?:is |are |ist |comes? |kommt |vient |viennent |viene )?"
    r"(?:from|by|sent by|vom|von(?: der| den| dem)?|de la part (?:de |du |d')|d'|du|de l'|des|de la|del|de los|"
    r"de las|de|of))"
    r"(?:\s+|(?<=['\s]))"
    r"([^|]+)",
    re.IGNORECASE,
)
GROUPS = (
    re.compile(
        r"(?<!\w)(?:in|to|on|into) (?:the |my |our )?((?:(?!\bin\b)[^|])+?) (?:group(?: chat)?|chat|channel)(?!\w)",
        re.IGNORECASE,
    ),
    re.compile(r"(?<!\w)(?:in|to) (?:the |my |our )?group (?:called |named )?([^|]+)", re.IGNORECASE),
    re.compile(
        r"(?<!\w)(?:in (?:der|die|dem|den|unserer|meiner|unsere)?|im|ins) ?([\w-]+?)-?(?:gruppe|gruppenchat|chat|kanal)"
        r"(?!\w)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<!\w)in (?:der|die|unserer|meiner) gruppe ([^|]+?)(?= schreibt| was | etwas | jemand|\||$)", re.IGNORECASE
    ),
    re.compile(r"(?<!\w)in (?:der|unserer) (familie)(?!\w)", re.IGNORECASE),
    re.compile(
        r"(?<!\w)(?:(?:dans|sur) )?(?:le |la |notre |mon |du )?(?:groupe|canal|discussion)"
        r"(?: (?:de la|du|des|de l'|de|d'))? ?([^|]+)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<!\w)(?:en |por |a )?(?:el |del |nuestro |mi )?(?:grupo|canal|chat)(?: (?:de la|de los|del|de))? ([^|]+)",
        re.IGNORECASE,
    ),
)
"""Patterns for a chat by its title."""
WAY = r"(?:e-?)?(?:mails?|correos?|courriels?|telegram|chat|messages?|mensajes?|nachricht)"
BY = r"(?:on|by|via|per|auf|über|sur|par|por|en|de) "
EITHER = re.compile(
    rf"(?<!\w)(?:either )?{BY}{WAY}\s*,?\s*(?:or|and|oder|und|ou|et|o|u|y)\s+(?:{BY})?{WAY}(?!\w)", re.IGNORECASE
)
"""Words for `by mail or as a message`."""
COMES = _words(
    r"(?:comes?|coming)(?: (?:in|through|up))?", "arrives?", "lands?(?: in)?", "turns? up", "pops? up", "is received",
    r"(?:i|we) (?:get|receive)", "there is", "there's", "gets here", "appears?", "shows? up",
    "landet", "landen", "erscheint", "apparaît", "apparaissent",
    r"aparec(?:e|en)", r"aparezcan?",
    "kommt", "kommen", r"(?:an|rein|herein|ein)komm(?:t|en)", r"(?:ein|rein)geh(?:t|en)", r"eintr(?:ifft|effen)",
    "reinflattert",
    r"ich (?:bekomm|krieg|erhalt)e?", "da ist", "auftaucht",
    r"arrive(?:nt)?", r"tombe(?:nt)?", r"entre(?:nt)?", r"est reçue?", "(?:je|on) reçoi[st]", "j'ai",
    "atterri(?:t|ssent)",
    r"(?:me )?lleg(?:a|ue|an|uen|ar)", r"(?:me )?entr(?:a|e|an|en)", r"recib[oae]", r"ca(?:e|iga)",
)  # fmt: skip
SENDS = _words(
    r"sends?(?: (?:me|us))?", "schickt", "schicken", r"(?:m'|nous )?envoi(?:e|ent)",
    r"(?:me |nos )?(?:mand|env[ií])(?:a|e|an|en)",
    r"announces?", r"m'annonce",
)  # fmt: skip
WRITES = _words(
    r"(?:writes?|messages|texts|textes|posts?|contacts?|repl(?:y|ies)|answers?|responds?|"
    r"gets in touch)(?: (?:to )?(?:me|us))?",
    "says something", "gets back to me", "writes back", "schreib(?:t|en)", "antwortet", "antworten", "zurückschreibt",
    "sich meldet", "meldet sich", "textet", r"(?:m'|nous )?[ée]cri(?:t|ve|vent)", r"(?:me |nous )?répond(?:ent|e)?",
    "poste",
    "publie", r"(?:me |nos )?escrib(?:e|a|en|an)", r"(?:me |nos )?contest(?:a|e|en|an)",
    r"(?:me |nos )?respond(?:e|a|en|an)",
    r"publi(?:ca|que)", r"m'e-?mail\w*",
)  # fmt: skip
MAILS = _words(
    r"(?<=\w )(?:e-?)?mails(?: (?:me|us))?(?! (?:from|by|with|of|about|de|du|des|d'|del|mit|von|vom|avec|con))",
    "mailt", "per mail",
    "by e?-?mail", "par mail", "por correo",
)  # fmt: skip
ANYTHING = _words(
    "something", "anything", "everything", "stuff", "all", "was", "etwas", "alles", "quelque chose",
    "tout(?: ce)?(?: qui| que)?",
    "algo", "todo(?: lo)?(?: que)?", "lo que", "cualquier cosa",
)  # fmt: skip
SOMEBODY = _words(
    "someone", "somebody", "anyone", "anybody", "everyone", "people", "jemand", "irgendwer", "wer", "irgendjemand",
    "leute",
    "quelqu'un", "on", "alguien", "cualquiera",
)  # fmt: skip
STRANGER = _words("strangers?", "people i do not know", "unknown(?: (?:senders?|people|numbers?))?", "unbekannten?",
    "fremden?",
                  "inconnu(?:e?s)?", "desconocid[oa]s?")  # fmt: skip
SMALL = _words(
    "an?", "the", "any", "some", "new", "each", "every", "my", "our", "your", "me", "us", "to", "in", "it", "is",
    "has", "have", "as", "well",
    "and", "up", "on", "at", "with", "from", "i", "for", "into", "also", "straight", "there", "email's",
    "ein(?:e[nrms]?)?", "der", "die", "das", "den", "dem", "des", "neuen?", "neue[rs]?", "jede[rnms]?", "mir", "mich",
    "uns", "ma",
    "im", "ist", "hat", "nen", "ne", "ner", "mal", "auf", "da", "und", "von", "bei", "es", "mein(?:e[nrms]?)?",
    "unser(?:e[nrms]?)?",
    "une?", "le", "la", "les", "l'", "des", "du", "de", "d'", "nouve(?:au|lle|aux)", "me", "m'", "nous", "dans",
    "que", "qui", "elle", "il", "et",
    "à", "sur", "par", "mon", "ma", "mes", "c'est", "est", "cette?", "uno?s?", "unas?", "el", "los", "las", "lo",
    "nuev[oa]s?", "mi", "mis",
    "nos", "se", "en", "cualquier", "todos?", "del", "al", "un", "y", "por",
)  # fmt: skip
"""Words that identify nothing."""
OR = re.compile(r"\s*(?:,|/|\bor\b|\band\b|\boder\b|\bund\b|\bou\b|\bet\b|\bo\b|\by\b)\s*", re.IGNORECASE)
POSSESSIVE = re.compile(
    r"(?<!\w)(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr\w+)(?!\w)", re.IGNORECASE
)
DOMAIN = re.compile(r"@?((?:[\w-]+\.)+[a-z]{2,})", re.IGNORECASE)
EVENTS = (MAIL, SUBJECT, CHAT, WRITES, SENDS, COMES, CARD, ALERT, EVENT, NEWS)
"""Words for events, as opposed to times."""
