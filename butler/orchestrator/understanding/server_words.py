"""Words for signals, logs and dashboards of servers in English, German, French and Spanish."""

import re


def _any(*options: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(options)})(?!\w)", re.IGNORECASE)


SIGNALS: tuple[tuple[re.Pattern[str], str], ...] = (
    (_any(r"(?:disk|disc) (?:activity|io|i/o)", r"iops", r"(?:platten|disk)[- ]?io", "i/o (?:disque|disco)"),
     "disk_io"),
    (_any(
        "disks?", "discs?", "disk ?space", "hard (?:disk|drive)s?", "storage", "ssd", "space left", r"\w*platten?\w*",
        "speicherplatz",
        "(?:wie ?viel )?platz", "disques?", "espace(?: disque)?", "place", "discos?", "espacio", "almacenamiento",
    ), "disk"),
    (_any("cpus?", "processors?", "prozessor\\w*", "processeurs?", "procesador(?:es)?", "surchauffe"), "cpu"),
    (_any("memory", "ram", r"\w*speicherverbrauch", "arbeitsspeicher", "speicher", "mémoire", "memoria"), "memory"),
    (_any(r"(?<!to )(?:system )?load(?: average)?(?!\s?balancer)", r"auslastung",
     r"(?:system|server)?last(?! (?:night|hour|week|day|month|year|\d|few|two))", "charge", "carga"), "load"),
    (_any("swap"), "swap"),
    (_any(r"(?:network )?traffic", "network", "bandwidth", "netzwerk\\w*", "bandbreite", "datenverkehr", "trafic",
     "réseau",
          "bande passante", "tráfico", "trafico", "la red", "ancho de banda",
          r"(?:requests|anfragen|requêtes|peticiones) .*(?:second|sekunde|segundo)\\w*"),
     "network"),
    (_any("latency", r"latencies", "response times?", r"latenz\w*", "antwortzeit\\w*", "temps de réponse", "latence",
     "latencia",
          "tiempos? de respuesta"), "latency"),
    (_any("error rates?", "failed requests", "fehlerraten?", "fehlerquote", "taux d['’]erreurs?", "tasa de errores?"),
     "errors"),
    (_any(r"temperatur\w*", "température"), "temperature"),
    (_any("uptime", "outages?", "down", "reachable", "erreichbar", "ausfälle?", "pannes?", "caíd[oa]s?"), "down"),
)  # fmt: skip
"""Words for signals; names in the settings take precedence."""
DASHBOARDS = _any("dashboards?", "dashbords?", "dash boards?", "panels?", "tableaux? de bord", "tableros?")
WHICH = _any("which dashboards?", "list (?:the |my |all )?dashboards", "what dashboards", "welche dashboards",
    "dashboards auflisten",
             "quels (?:dashboards|tableaux)", "qué (?:dashboards|tableros)", "dashboards are there")  # fmt: skip
PANEL = re.compile(
    r"(?:(?:the|my|das|den|le|el) )?(?P<panel>\w+(?: \w+)?)[ -]panel (?:of|on|in|from|vom|im|von|du|de|del) "
    r"(?:the |my |dem |le |la |el )?(?P<board>[\w -]+?)(?: dashboard)?(?: (?:say|says|show|shows|sagt|zeigt|dit|"
    r"dice)\b.*)?\s*$",
    re.IGNORECASE,
)
SMALL = _any("the", "my", "our", "your", "an?", "on", "of", "for", "in", "der", "die", "das", "den", "dem",
    "mein(?:e[nrm]?)?", "von",
             "vom", "im", "auf", "le", "la", "les", "l['’]", "du", "de", "des", "mon", "ma", "mes", "el", "los",
             "las", "del", "mi",
             "mis", "servers?", "server", "serveurs?", "servidor(?:es)?", "machines?", "maschinen?", "box", "boxen?",
             "dashboards?",
             "logs?", "panel")  # fmt: skip
SERVER = _any(r"(?:\w+ )?\w*servers?", "machines?", "box", r"\w*maschine", "serveurs?", "servidor(?:es)?", "rechner",
    "everything", "alles",
              "nas", "nuc", "vps", "prod(?:uction)?", "host")  # fmt: skip
ERRORS = _any(r"errors?", "warnings?", "problems?", "exceptions?", "stack ?traces?", r"\w*fehler\w*", r"warnung\w*",
    "probleme?",
              r"erreurs?", "avertissements?", "problèmes?", r"errore?s?", "error(?:es)?", "avisos?",
              "excepci[oó]n(?:es)?", "fallos?",
              "trazas?", "weird", "odd", "anything", "red", "rotes", "bizarre", "raro", "anormal")  # fmt: skip
"""Words for trouble in general, which are not searched in logs."""
NOW = _any("(?:right )?now", "rn", "at the moment", "currently", "today", "jetzt", "grad(?:e)?", "gerade", "momentan",
    "aktuell", "heute",
           "maintenant", "en ce moment", "aujourd['’]hui", "là", "ahora(?: mismo)?", "hoy",
           "en este momento")  # fmt: skip
WENT_WRONG = _any("errors?", "warnings?", "exceptions?", r"\w*fehler\w*", r"warnung\w*", r"erreurs?", r"error(?:es)?",
                  r"excepci[oó]n(?:es)?", "fallos?", "stack ?traces?")  # fmt: skip
AN_HOUR = re.compile(r"(?:depuis|desde hace|hace) (?:une heure|una hora)$", re.IGNORECASE)
"""Words for the length of an hour, not for one o'clock."""
OF_LOGS = _any(
    r"\w*logs?", r"log ?files?", "logged", r"(?:log|server|system)?protokoll\w*", "journal(?:ctl)?", "journaux",
    r"registros?",
    r"bit[áa]coras?", "trazas?", "errors?", "warnings?", "exceptions?", r"\w*fehler\w*", r"warnung\w*", "erreurs?",
    "avertissements?", "error(?:es)?", "avisos?", "excepci[oó]n(?:es)?", "fallos?", r"stack ?traces?",
)  # fmt: skip
"""Words for logs alone; all other questions about a server are answered from its metrics, too."""
LOGGED = (
    (_any(r"back[- ]?ups?", r"(?:daten)?sicherung(?:en)?", "sauvegardes?", "copias? de (?:seguridad|respaldo)",
          "respaldos?"), "backup"),
)  # fmt: skip
"""Usual names of log queries."""
