"""German, French and Spanish: their small words. How replies are said in them stands in a text file for each."""

from butler.orchestrator.embedded.languages.tongue import Tongue, numbered
from butler.orchestrator.embedded.lexer import word_set

GERMAN = Tongue(
    code="de",
    file="german.md",
    numbers=numbered(
        "null ein/eins/eine/einem/einer/einen/ner/ne/nem zwei/zwo drei vier fünf sechs sieben acht neun zehn elf zwölf "
        "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig einundzwanzig zweiundzwanzig "
        "dreiundzwanzig vierundzwanzig fünfundzwanzig",
        dreißig=30, vierzig=40, fünfundvierzig=45, fünfzig=50, sechzig=60, neunzig=90,
    ),
    joints=word_set("und & sowie"),
    mine=word_set("mein meine meinem meinen meiner"),
    articles=word_set(
        "der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere"
    ),
    to=word_set("an"),
    pronouns={"ihr": "her", "ihm": "him", "ihnen": "them"},
    no_name=word_set(
        "mir mich dir dich uns euch sich ich du er sie es wir das dies dass ein eine einen der die den dem nicht "
        "nichts alles was wer wann wo wie ob zu auf mit über an von im in am um eine keine eure dein deine"
    ),
    fillers=word_set("bitte mal doch eben kurz gerade schnell einfach noch nochmal eigentlich denn gleich"),
    common=word_set(
        "der die das den dem ein eine einen ich du mir mich dir dich und oder nicht ist sind habe hat was wer wann wo "
        "wie von vom mit für auf an um bitte sag schick schreib zeig erinnere dass zu zum zur im am meine mein heute "
        "morgen"
    ),
    letters={"ä": "ae", "ö": "oe", "ü": "ue"},
    apart={
        verb: word_set(ends)
        for verbs, ends in (
            ("leg lege", "an ab"),
            ("füg füge", "hinzu ein an"),
            ("nimm", "auf dazu hinzu"),
        )
        for verb in verbs.split()
    },
)  # fmt: skip
FRENCH = Tongue(
    code="fr",
    file="french.md",
    numbers=numbered(
        "zéro un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
        "dix-huit dix-neuf vingt vingt-et-un vingt-deux vingt-trois vingt-quatre vingt-cinq",
        trente=30, quarante=40, cinquante=50, soixante=60,
    ) | {"quarante-cinq": 45},
    joints=word_set("et &"),
    mine=word_set("mon ma mes"),
    articles=word_set("le la les l' un une des du de d' mon ma mes notre"),
    to=word_set("à"),
    pronouns={"lui": "him", "leur": "them"},
    no_name=word_set(
        "moi me m' te t' toi nous vous je tu il elle on ils elles ce ça cela le la les l' un une des du de d' que qu' "
        "qui quoi ou quand comment sur par via avec dans pour en tout rien tous ne pas est a si ceux celles"
    ),
    fillers=word_set("stp svp donc juste vite encore bien aussi"),
    common=word_set(
        "le la les l' un une des du de d' je tu il elle moi mon ma mes que qu' qui et ou est ai a à sur par avec dans "
        "pour dis envoie écris montre rappelle demain hier ce cette"
    ),
    elided=word_set("l d qu m t s n c j"),
    joined=word_set("moi toi tu il elle on nous vous ce le la les lui leur t je ils elles"),
)  # fmt: skip
SPANISH = Tongue(
    code="es",
    file="spanish.md",
    numbers=numbered(
        "cero uno/un/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
        "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco",
        treinta=30, cuarenta=40, cincuenta=50, sesenta=60,
    ),
    joints=word_set("y e &"),
    mine=word_set("mi mis"),
    articles=word_set("el la los las un una unos unas del mi mis nuestro nuestra al"),
    to=word_set("a"),
    pronouns={"él": "him", "ella": "her", "ellos": "them", "ellas": "them"},
    no_name=word_set(
        "me te ti nos os yo tú ellas usted esto eso esta este la lo los las un una unos unas de del al que quien "
        "donde cuando cómo si sobre por con en para todo nada todos no es a el"
    ),
    fillers=word_set("porfa ya rápido ahora aún todavía también"),
    common=word_set(
        "el la los las un una de del al yo tu mi mis me que y o es está tengo hay hoy mañana a con por para en sobre "
        "dile envía envíale manda mándale escribe muestra muéstrame recuérdame qué cuál dónde puede hacer métodos tiene"
    ),
)  # fmt: skip
TONGUES = (GERMAN, FRENCH, SPANISH)
