"""The words that ask for each preference, in four languages. A planner may read them, but not add to them.

They are stems, wider than what is understood without a model: a model may understand more, but is held to these words.
"""

import re

_SPEAK = (
    r"answer|repl|respon|writ|speak|talk|communicat|switch|chang|\bset\b|prefer|language|\buse\b|give me|in future|"
    r"antwort|schreib|sprich|sprech|rede|wechs|sprache|nutze|"
    r"répon|repon|parl|écri|ecri|langue|utilis|"
    r"respond|respónd|contest|habl|hábl|escrib|escríb|idioma|\busa"
)
_TAKES_BACK = (
    r"forget|no longer|not? more|don.t|do not|stop|normal|default|usual|again|reset|any|"
    r"vergiss|nicht mehr|kein|normal|wieder|zurück|"
    r"oubli|ne .*plus|arrête|comme avant|"
    r"olvid|ya no|deja|como antes"
)
_ASKS: dict[tuple[str, str], tuple[str, ...]] = {
    ("language", "en"): (_SPEAK, r"english|englisch|anglais|ingl[eé]s"),
    ("language", "de"): (_SPEAK, r"german|deutsch|allemand|alem[aá]n"),
    ("language", "fr"): (_SPEAK, r"french|franz[oö]sisch|fran[cç]ais|franc[eé]s"),
    ("language", "es"): (_SPEAK, r"spanish|spanisch|espagnol|espa[nñ]ol|castellano"),
    ("length", "brief"): (
        (
            r"brief|concis|succinct|short|less|not so (?:much|long)|too (?:long|much)|so (?:long|much)|ramble|sentence|"
            r"essay|wordy|"
            r"chatty|two lines|to the point|"
            r"kurz|kürz|knapp|bündig|weniger|(?:zu|so) (?:lang|viel)|satz|sätze|zeile|roman|"
            r"auf den punkt|"
            r"\bbref|brève|briève|court|moins|trop (?:long|de)|phrase|ligne|roman|à l.essentiel|"
            r"breve|cort[oa]|menos|demasiado|frase|l[ií]nea|rollo|al grano"
        ),
    ),
    ("length", "full"): (
        (
            r"detail|thorough|verbose|elaborat|long|full|depth|length|too (?:short|brief)|"
            r"ausführ|genau|detaill|länger|lang\b|zu kurz|vollständig|"
            r"détail|long|complet|précis|trop court|"
            r"detall|larg|complet|extens|precis"
        ),
    ),
    ("persona", "Technical"): (r"techni|técnic|expert|fach",),
    ("persona", "Executive"): (r"executive|manager|management|führung|vorstand|dirige|direct|cadre|ejecutiv|\bboss\b",),
    ("persona", "General"): (
        (
            r"techni|técnic|simpl|plain|easy|everybody|everyone|general|normal|"
            r"einfach|verständlich|allgemein|tout le monde|généra|sencill|todos"
        ),
    ),
    ("sources", "quoted"): (r"quot|source|zit|quelle|belege|cit[aeé]|fuente",),
    ("sources", "named"): (r"quot|source|\bnames?\b|zit|quelle|nenn|cit[aeé]|\bnom|fuente|nombr",),
}
"""Every part must match somewhere in the words."""


def asks_for(name: str, value: str, words: str) -> bool:
    """Return whether the words ask for this value of a preference, or, for an empty value, to take it back."""
    parts = _ASKS.get((name, value), ()) if value else (_TAKES_BACK,)
    return bool(parts) and all(re.search(part, words, re.IGNORECASE) for part in parts)
