"""Words for actions of automations in four languages: reports, cards, acts on mails."""

import re

TELL = re.compile(
    r"(?:(?:please|bitte|then|dann|alors|entonces|just|va|que tu|tu|du) )*(?:"
    r"(?:tell|notify|notfy|alert|ping|inform|warn|nudge|poke|buzz|text|message|wake)(?: it to)? me(?: (?:about|"
    r"of) it| so| that)?|"
    r"let me know(?: about it)?|give me (?:a )?(?:shout|nudge|heads[- ]up|ping|buzz)|shout|tell me (?:it|this)|"
    r"send me a (?:message|notification|note|ping|text)|"
    r"(?:sag|sage|gib|geb|sagen sie|geben sie)(?:'s| es| das)? (?:mir|ma)(?: das| es)?(?: bitte)?(?: bescheid|"
    r" bscheid)?|"
    r"(?:gib|sag) bescheid|(?:es )?mir (?:bescheid )?(?:sagen|geben)|(?:benachrichtige|informiere?|warne?|weck|"
    r"wecke|pieps\w*)"
    r"(?: sie)? mich(?: an)?|mich (?:benachrichtigen|informieren|warnen)|meld(?:e|en sie)? (?:dich|es mir|sich)|"
    r"schreib(?:e)? mir(?: eine nachricht)?|schick(?:e)? mir eine nachricht|"
    r"(?:préviens|previens|avertis|informe|alerte|avise|notifie)[- ]moi|dis[- ]le[- ]moi|fais[- ]moi signe|"
    r"tiens[- ]moi au courant|"
    r"envoie[- ]moi (?:une notification|un message)|m[e'] ?(?:préviens|prévenir|préviennes|avertir|avertis|"
    r"avertisses|alerter|dis|le dire|pingues)|"
    r"(?:av[íi]same|d[íi]melo|dime|decime|inf[óo]rmame|notif[íi]came|al[ée]rtame|me (?:avis[ae]s?|informes?|"
    r"alertes|lo digas|dices|"
    r"llames la atención))|(?:m[áa]ndame|me mand[ae]s) un (?:aviso|mensaje)|dame un (?:toque|aviso)|h[áa]zmelo saber"
    r")",
    re.IGNORECASE,
)  # fmt: skip
"""Words for a report to the owner and nothing else, without its way."""
HOW = re.compile(
    r"(?<!\w)(?:on|by|via|per|auf|über|sur|par|por) (?:my )?(?:telegram|tg|mail|text)|(?<!\w)(?:please|bitte|stp|"
    r"svp|por favor|"
    r"s'il (?:te|vous) plaît)(?!\w)",
    re.IGNORECASE,
)
URGENT = re.compile(
    r"(?<!\w)(?:at once|right away|immediately|straight away|straightaway|directly|sofort|gleich|glei|umgehend|"
    r"unverzüglich|"
    r"tout de suite|aussitôt|immédiatement|direct|enseguida|inmediatamente|de inmediato|al momento|ya mismo|"
    r"auch nachts|even at night|aunque sea de madrugada)(?!\w)",
    re.IGNORECASE,
)
"""Words for an urgent report, which also comes in quiet hours."""
REMIND = re.compile(
    r"(?:please |bitte )?(?:remind me|erinner[en]? (?:sie )?mich|mich (?=.*erinnern)|rappelle[- ]moi|"
    r"me rappelles?|recu[ée]rdame|"
    r"me recuerdes?)(?: (?:to|of|about|that|daran,?|an|dass|zu|de|que|d'))?\s*",
    re.IGNORECASE,
)
AND = re.compile(r"\s*,?\s+(?:and|und|et|y)(?: then| dann| puis)?\s+", re.IGNORECASE)
CARD = re.compile(
    r"(?:(?:make|add|put|create)|(?:leg|lege|erstell|erstelle|mach|mache|füg|füge)|(?:mets|ajoute|crée)|(?:pon|"
    r"añade|crea))?\s*"
    r"(?:a|an|eine|une|una)?\s*(?:trello )?(?:card|task|karte|carte|tarjeta)(?: (?:in|bei|sur|en|on) trello)?"
    r" (?:on|to|in|into|auf|zu|zur|sur|dans|à|en|a) (?:(?:the|my|die|der|meine|meiner|la|ma|mi) )?(?:trello[- ])?"
    r"(?:(?:list|liste|lista)(?: (?:de|in) trello)? )?(.+?)"
    r"(?: list)?(?:(?: (?:an|hinzu|anlegen|angelegt werden|erstellen))| (?:on|in|sur|en) trello)*",
    re.IGNORECASE,
)
ON_MAIL = re.compile(
    r"\b(?:archiv\w*|star|label\w*|forward\w*|folder|spam|bin|inbox|mark\w*|stern\w*|markier\w*|ordner|"
    r"weiterleit\w*|leite\w*|"
    r"papierkorb|étiquet\w*|étoile|dossier|transf\w+|corbeille|etiquet\w*|estrella|carpeta|reenv\w*|papelera|"
    r"m[áa]rca\w*|lösch\w*|"
    r"delet\w*|trash|unread|supprim\w*|borr\w+|elimin\w+)",
    re.IGNORECASE,
)
"""Words for acts that apply only to mails."""
TRASH = (
    r"delet\w*|bin|trash|throw\w* (?:away|out)|get rid of|clear(?: out)?|lösch\w*|loesch\w*|entfern\w*|wegwerfen|"
    r"weg damit|papierkorb|supprim\w*|efface\w*|jette\w*|corbeille|borr\w+|elimin\w+|"
    r"tir(?:a|ar) a la (?:basura|papelera)|papelera"
)
TRASH_WITH = (
    r"(?:put|move|send|throw)(?= .*(?:trash|bin))|(?:in|into|to) the (?:trash|bin)|in den papierkorb|"
    r"(?:leg\w*|verschieb\w*|wirf|werfen)(?= .*papierkorb)|(?:à|dans) la corbeille|mets(?= .*corbeille)|"
    r"(?:a|en) la papelera|(?:pon|mueve|manda|env[ií]a)(?= .*papelera)"
)
ACTS = (
    ("mark_read", r"mark\w* .*\bread\b|als gelesen|comme lue?s?|como le[ií]d[oa]s?",
     r"mark\w*|as read|als gelesen|marque\w*|marca\w*|marquer|comme lue?s?|como le[ií]d[oa]s?"),
    ("archive", r"archiv\w+", r"archiv\w+"),
    ("trash", TRASH, f"{TRASH_WITH}|{TRASH}"),
)  # fmt: skip
"""Repeatable acts on many mails, with the words that identify them and all words of such a request."""
OLDER = re.compile(
    r"(?:(?:that are |which are |die )?(?:older than|more than|over|älter als|über|plus (?:vieux|vieilles|anciens?|"
    r"anciennes) (?:que|de)|"
    r"de plus de|(?:con )?m[áa]s (?:viej[oa]s|antigu[oa]s) (?:que|de)|de m[áa]s de))\s+(.+)",
    re.IGNORECASE,
)
MAILS = re.compile(
    r"\b(?:e-?mails?|mails?|messages?|\w*mails|courriels?|correos?|all|alle|everything|alles|tous|toutes|tout|"
    r"tod[oa]s?|any|the|my|old|out|"
    r"die|der|das|den|meine|alten?|les|mes|des|de|los|las|mis|la|lo|el|from|von|vom|of|in|as|please|bitte|sie|up)\b",
    re.IGNORECASE,
)
