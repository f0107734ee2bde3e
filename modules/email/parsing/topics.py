"""Decides by form whether a text is an invoice, asks its reader something, or came to many; no if in doubt."""

import re
from collections.abc import Iterator
from typing import Final

from modules.email.parsing.dates import day_of
from modules.email.parsing.lines import folded, is_blank, plain
from modules.email.parsing.parsed import Invoice

_MOST_LINES = 400
_LONGEST_LINE = 400
_LONGEST_AMOUNT = 40

_STEMS: Final = (
    *("invoice", "rechnung", "zahlungserinn", "mahnung", "factu", "fattur", "faktur", "fatura", "boleto"),
    *("nota fiscal", "bill", "statement of account"),
)
"""Each text that `_WORD` matches has one of these; most mails have none and are skipped."""
_WORD: Final = re.compile(
    r"\b(?:invoices?|rechnung(?:en|s\w*)?|zahlungserinnerung|mahnung|factures?|facturas?|fattur[ae]|faktura"
    r"|fatura|factuur"
    r"|boleto|nota fiscal|bill from|your bill|utility bill|statement of account)\b"
)
_SETTLED: Final = re.compile(
    r"\b(?:receipt for|payment received|has been paid|was paid|already paid|paid in full|thank you for your payment"
    r"|thanks for your payment|we(?:'ve| have) received your payment|payment confirmation|no payment is (?:due"
    r"|required)"
    r"|zahlung erhalten|zahlungseingang|bereits (?:bezahlt|beglichen)|zahlungsbestätigung|wurde bezahlt"
    r"|dankend erhalten"
    r"|gutschrift|credit note|refund|quittung|paiement reçu|déjà (?:payée?|réglée?)|a été (?:payée?|réglée?)|avoir n"
    r"|reçu de paiement|pago recibido|ya (?:ha sido )?pagad[ao]|recibo de pago|abono n|pagamento ricevuto|già pagat[ao]"
    r"|quote|quotation|angebot nr|kostenvoranschlag|devis n|presupuesto n|preventivo)\b"
)
"""Words for sums that are already paid, or not to be paid."""

_CURRENCY: Final = r"(?:€|\$|£|¥|US\$|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|RON|CAD|AUD|JPY|Fr\.|Euro|zł|Kč|kr)"
_FIGURE: Final = r"\d{1,3}(?:[.,'’ \u00a0\u202f]?\d{3}){0,4}(?:[.,]\d{2}|[.,]-|\.–|,–)?(?![\d%])"
_DIGIT: Final = re.compile(r"\d")
"""Part of every amount."""
_AMOUNT: Final = re.compile(rf"(?<![\w.,]){_CURRENCY}\s?{_FIGURE}|(?<![\w.,]){_FIGURE}\s?{_CURRENCY}(?!\w)")
_TOTAL: Final = re.compile(
    r"\b(?:amount due|total due|balance due|amount payable|total amount|grand total|invoice total|total to pay"
    r"|gesamtbetrag|rechnungsbetrag|zahlbetrag|endbetrag|gesamtsumme|zu zahlen(?:der betrag)?|offener betrag"
    r"|summe brutto"
    r"|montant (?:total|dû|à payer|ttc)|total ttc|net à payer|total à payer|importe total|total a pagar|importe a pagar"
    r"|total factura|totale (?:fattura|da pagare|dovuto|documento)|importo (?:totale|da pagare|dovuto)|totaalbedrag"
    r"|te betalen|valor total|att betala|at betale|å betale|do zapłaty|celkem k úhradě|total|betrag|amount|montant"
    r"|importe|importo|bedrag|summe)\b"
)
_NUMBER: Final = re.compile(
    r"\b(?:(?:invoice|bill)(?: number| no\.?| nr\.?| id| ref\.?)?|inv\.? no\.?|rechnung(?:s-?(?:nummer"
    r"|nr\.?))?(?: nr\.?)?"
    r"|re-?nr\.?|(?:numéro|n°|no\.?) de facture|facture(?: n°| nº| no\.?| numéro)?|(?:número|núm\.?|n\.?º) de factura"
    r"|factura(?: n[.º°]{1,2}| nº| núm\.?| número)?|fattura(?: n[.°º]{1,2}| numero| nr\.?)?|numero fattura"
    r"|factuurnummer|factuur(?: nr\.?)?|fakturanummer|fakturanr\.?|faktura(?: nr\.?)?)"
    r"\s{0,3}[:#]{0,2}\s{0,3}(?:#\s?)?([a-z0-9][a-z0-9/._-]{0,30})"
)
_DUE: Final = re.compile(
    r"\b(?P<us>due date|payment due|due (?:on|by)|is due|payable by|pay by|please pay (?:\S+ )?(?:by|before)|due)\b"
    r"|\b(?:fällig(?:keit|keitsdatum)?(?: am)?|zahlbar bis(?: zum)?|zahlungsziel|zahlungsfrist|zu zahlen bis"
    r"|bis (?:spätestens|zum)|échéance|à (?:payer|régler) avant(?: le)?|date limite(?: de paiement)?"
    r"|(?:fecha de )?vencimiento|vence(?: el)?|fecha límite(?: de pago)?|scadenza|da pagare entro(?: il)?"
    r"|entro il|vervaldatum|te betalen (?:voor|vóór)|uiterste betaaldatum|förfallodatum|förfallodag|forfaldsdato"
    r"|forfallsdato|eräpäivä|termin płatności|splatnost|splatné|vencimento)\b"
)

_LEAVING: Final = re.compile(
    r"\b(?:unsubscribe|opt[- ]out|manage (?:your )?(?:email )?preferences|abmelden|abbestellen|newsletter abmelden"
    r"|se désabonner|se désinscrire|désabonnement|désinscription|darse de baja|darme de baja"
    r"|cancelar (?:la )?suscripción"
    r"|annulla l'iscrizione|disiscriviti|cancellati|cancelar (?:a )?(?:inscrição|assinatura)|afmelden|uitschrijven"
    r"|avregistrera|avprenumerera|afmeld|avmeld|wypisz się|rezygnacja z newslettera|odhlásit|отписаться|відписатися)\b"
)
_YOU: Final = re.compile(
    r"\b(?:you|your|yours|du|dir|dich|dein\w*|sie|ihnen|ihr\w*|euch|vous|votre|vos|tu|te|toi|ton|usted\w*|puedes?"
    r"|podrías?"
    r"|podría|quieres|tienes|puoi|può|potrebbe|potresti|vuoi|hai|lei|você|pode|poderia|quer|jij|je|jou|jullie|uw"
    r"|kun|kunt"
    r"|kan je|dig|din|kan du|czy|możesz|можете|можешь|вы|ты|вам)\b"
)
_ASKED: Final = re.compile(r"[^\s?]\s?\?(?=$|[\s\"'”»)])")


def invoice_in(subject: str, text: str) -> Invoice | None:
    """Return the facts of an unpaid invoice; None if the text is not certainly one.

    It has to call itself one, and to name a sum with its currency and a number or a due date.
    """
    heading = folded(plain(subject[:_LONGEST_LINE]))
    whole = folded(text)
    if not any(stem in heading or stem in whole for stem in _STEMS) or _DIGIT.search(text) is None:
        return None
    lines = [plain(line) for line in _lines(text)]
    lowered = [folded(line) for line in lines]
    sentence = "\n".join([heading, *lowered])
    if _WORD.search(sentence) is None or _SETTLED.search(sentence) is not None:
        return None
    amount = _amount(lines, lowered)
    if not amount:
        return None
    invoice = Invoice(amount, _due(lowered), _number([plain(subject[:_LONGEST_LINE]), *lines]))
    return invoice if invoice.due or invoice.number else None


def offers_to_unsubscribe(text: str) -> bool:
    """Return whether a text ends like a mail to many."""
    return any(_LEAVING.search(folded(plain(line))) for line in list(_lines(text))[-30:])


def asks_the_reader(text: str) -> bool:
    """Return whether a text asks its reader something."""
    if "?" not in text:
        return False
    asking = (plain(line) for line in _lines(text) if "?" in line)
    return any(_ASKED.search(line) and _asks_you(line) for line in asking)


def _asks_you(line: str) -> bool:
    """Return whether a question in a line is addressed to the reader, by the words of its last sentence."""
    for mark in _ASKED.finditer(line):
        start = max(line.rfind(end, 0, mark.start() + 1) for end in (". ", "! ", "? ", ": "))
        if _YOU.search(folded(line[start + 1 : mark.end()])):
            return True
    return False


def _lines(text: str) -> Iterator[str]:
    """Yield the first lines that are neither blank nor quoted, unchanged."""
    count = 0
    for line in text.split("\n"):
        if line.lstrip()[:1] == ">" or is_blank(line):
            continue
        yield line[:_LONGEST_LINE]
        count += 1
        if count == _MOST_LINES:
            return


def _amount(lines: list[str], lowered: list[str]) -> str:
    """Return the sum to pay as written: after the most specific word for it, else the only sum named."""
    best: tuple[int, str] = (-1, "")
    for at, line in enumerate(lowered):
        label = _TOTAL.search(line)
        if label is None:
            continue
        found = list(_AMOUNT.finditer(lines[at])) or (_first(lines[at + 1]) if at + 1 < len(lines) else [])
        weight = 1 if label[0] in _PLAIN_TOTALS else 2
        if found and weight >= best[0]:
            best = (weight, found[-1][0])
    if best[1]:
        return best[1][:_LONGEST_AMOUNT].strip()
    sums = {match[0].strip() for line in lines if _DIGIT.search(line) for match in _AMOUNT.finditer(line)}
    return sums.pop()[:_LONGEST_AMOUNT] if len(sums) == 1 else ""


_PLAIN_TOTALS: Final = frozenset({"total", "betrag", "amount", "montant", "importe", "importo", "bedrag", "summe"})


def _first(line: str) -> list[re.Match[str]]:
    """Return the amount that is all of a line; empty if there is none."""
    match = _AMOUNT.fullmatch(line)
    return [] if match is None else [match]


def _due(lowered: list[str]) -> str:
    for at, line in enumerate(lowered):
        for label in _DUE.finditer(line):
            behind = line[label.end() : label.end() + 60]
            day = day_of(behind, day_first=label["us"] is None)
            if not day and not behind.strip(" :") and at + 1 < len(lowered):
                day = day_of(lowered[at + 1][:60], day_first=label["us"] is None)
            if day:
                return day
    return ""


def _number(lines: list[str]) -> str:
    for line in lines:
        for match in _NUMBER.finditer(folded(line)):
            found = match[1].rstrip("._-/")
            if any(character.isdigit() for character in found) and not day_of(found, day_first=True):
                start = match.start(1)
                same = len(folded(line)) == len(line)
                return line[start : start + len(found)] if same else found.upper()
    return ""
