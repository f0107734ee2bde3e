"""The words of automations in English, German, French and Spanish: what happens, and how one wants to be told."""

from butler.orchestrator.embedded.lexer import phrases

WHEN = phrases(
    "(when|whenever|if|as soon as|each time|every time|any time|once)",
    "(wenn|sobald|immer wenn|jedes mal wenn|jedesmal wenn|falls|immer , wenn|jedes mal , wenn)",
    "(quand|lorsque|dès que|chaque fois que|à chaque fois que|si)",
    "(cuando|siempre que|cada vez que|en cuanto|si)",
)  # fmt: skip
EACH_TIME = phrases(
    "(whenever|every time|each time|any time|anytime|as soon as) [that]",
    "(immer wenn|immer , wenn|immer dann , wenn|jedes mal wenn|jedes mal , wenn|jedesmal wenn|jedesmal , wenn|sobald)",
    "[à] (chaque fois|toutes les fois) (que|qu'un|qu'une|qu'anna|qu'il|qu'on)", "dès (que|qu'un|qu'une|qu'il)",
    "(siempre que|cada vez que|en cuanto|tan pronto como|todas las veces que)",
)  # fmt: skip
"""What says beyond doubt that something is done again and again, or once something has happened."""
THEN = phrases(", then", ", dann", ", so", ", alors", ", entonces", ",", "then", ":")
MAILS_ME = phrases(
    "(mails|emails|e-mails) me", "(sends|writes) me (a mail|an email|an e-mail|a message by mail)", "writes me by mail",
    "mir (mailt|eine mail schickt|eine mail schreibt|eine e-mail schickt|per mail schreibt)",
    "(m'envoie|m'écrit) un (mail|e-mail|courriel|message par mail)",
    "me (manda|envía|escribe|mande|envíe|escriba) un (correo|mail|e-mail|correo electrónico)",
)  # fmt: skip
WRITES = phrases(
    "(writes|messages|texts|posts|writes to|says something) [me] [on telegram]", "sends me a message [on telegram]",
    "(mir|uns) (schreibt|etwas schreibt|eine nachricht schickt)", "schreibt", "etwas schreibt",
    "(m'écrit|écrit|m'envoie un message) [sur telegram]",
    "(me|nos) (escribe|escriba|manda un mensaje|mande un mensaje) [por telegram]", "(escribe|escriba)",
)  # fmt: skip
IN_CHAT = phrases(
    "in (the|my|our)", "in (der|dem|unserer)", "dans (le|la)", "en (el|la)", "dans", "en", "in",
)  # fmt: skip
CHAT_ENDS = phrases("(group|chat|channel|gruppe|kanal)")
CHAT_BEGINS = phrases("(groupe|canal|chat|grupo|canal)")
A_MAIL = phrases(
    "(a|an|any|some) [new] (mail|email|e-mail)", "eine [neue] (mail|e-mail)", "un [nouveau] (mail|e-mail|courriel)",
    "un [nuevo] (correo|mail|e-mail)",
)  # fmt: skip
COMES = phrases(
    "(comes|comes in|arrives|is received|lands)", "(kommt|ankommt|hereinkommt|eingeht|eintrifft)", "(arrive|est reçu)",
    "(llega|llegue|entra|entre)",
)  # fmt: skip
FROM = phrases("(from|by|of)", "von", "de", "de la part de", "d'")
WITH = phrases("with", "mit", "avec", "con", "about", "über", "sur", "sobre", "containing")
IN_SUBJECT = phrases("in (the|its) subject", "im betreff", "dans (le sujet|l'objet)", "en el asunto")
IN_TEXT = phrases("in (the|its) text", "im text", "dans le texte", "en el texto")
A_FILE = phrases(
    "(with|having) (a file|files|an attachment|attachments)", "mit (anhang|einem anhang|anhängen|einer datei)",
    "avec (une pièce jointe|des pièces jointes|un fichier)", "con (un adjunto|adjuntos|un archivo)",
)  # fmt: skip
A_RUN = phrases(
    "(a|any|one) bulk (run|operation)", "(ein|eine) (massenlauf|sammellauf|sammelaktion|massenaktion)",
    "une (opération|action) en masse", "una (operación|acción) masiva",
)  # fmt: skip
FAILS = phrases(
    "(fails|breaks|goes wrong)", "(scheitert|fehlschlägt|schiefgeht|misslingt)", "(échoue|rate)", "(falla|fracasa)"
)
ENDS = phrases("(ends|is done|finishes|is finished|is over)", "(endet|fertig ist)", "(se termine|finit)", "termina")
AN_ALERT = phrases("(an|any) (alert|alarm)", "ein alarm", "eine warnung", "une alerte", "una alerta")
FIRES = phrases(
    "(fires|goes off|is firing)", "(auslöst|losgeht|feuert)", "(se déclenche|est déclenchée)", "(salta|se dispara)"
)
AT_NIGHT = phrases("(at|by) night", "nachts", "in der nacht", "la nuit", "de nuit", "(de|por la) noche")
AN_EVENT = phrases(
    "(an|any) (event|appointment)",
    "(a|any) meeting",
    "ein termin",
    "un (rendez-vous|événement)",
    "(un evento|una cita)",
)
BEGINS = phrases(
    "(begins|starts|is about to begin|is about to start)", "(beginnt|anfängt)", "commence", "(empieza|comienza)"
)
AT_ONCE = "[at once|right away|immediately|straight away|directly]"
TELL = phrases(
    f"[please] (tell|notify|alert|ping|inform) me {AT_ONCE}", f"[please] tell me (of|about) it {AT_ONCE}",
    f"[please] let me know {AT_ONCE}", "call (nobody|no one) [,] (but|and) tell me",
    "(sag|sage) (es mir|mir) [sofort|gleich] [bescheid]", "gib mir [sofort|gleich] bescheid",
    "[bitte] (sag|sage) (mir|es mir) [sofort|gleich] bescheid",
    "(benachrichtige|informiere) mich [sofort|gleich]", "melde (es mir|dich) [sofort|gleich]",
    "(dis-le-moi|préviens-moi|avertis-moi|informe-moi) [tout de suite|aussitôt|immédiatement]",
    "(avísame|dímelo|infórmame) [enseguida|inmediatamente|de inmediato|al momento]",
)  # fmt: skip
WITHOUT_DELAY = phrases(
    "(at once|right away|immediately|straight away|directly)", "(sofort|gleich)",
    "(tout de suite|aussitôt|immédiatement)", "(enseguida|inmediatamente|de inmediato|al momento)",
)  # fmt: skip
"""What is told so is told in the quiet hours, too."""
A_CARD = phrases(
    "(put|add|make|create) a (card|task) (on|to|in|into) [my|the] [trello] [list]",
    "(leg|lege|erstell|erstelle|mach|mache|füg|füge) [bitte] [in trello|bei trello] eine karte [in trello|bei trello] "
    "(in|auf|zu|zur) [die|der|meine|meiner] [trello-liste|trello liste|liste]",
    "(mets|ajoute|crée) une carte [trello] (sur|dans|à) [la|ma] [liste] [trello]",
    "(pon|añade|crea) una tarjeta [de trello] (en|a) [la|mi] [lista] [de trello]",
)  # fmt: skip
LIST_ENDS = phrases(
    "(an|ab|hinzu)", "[list|liste|lista] (in|on|at|bei|auf|sur|dans|en|de|à) trello",
    "please", "bitte", "(s'il|s’il) (te|vous) plaît", "(stp|svp)", "por favor", ",",
)  # fmt: skip
"""What may stand behind the name of the list and is none of it: the rest of a verb, and good manners."""
REMIND = phrases("[please] remind me", "[bitte] erinnere mich", "[bitte] erinner mich", "rappelle-moi", "recuérdame")
