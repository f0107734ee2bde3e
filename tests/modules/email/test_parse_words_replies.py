"""What is new in a reply is told from what it quotes, from signatures and from what telephones add."""

import pytest

from modules.email.parsing.words import Role, Split, roles_of, split

WORDS = "Yes, gladly.\n\nSee you then:\n- at nine\n- with the plans"
ANNA = "Anna Muster <anna@x.example>"

ATTRIBUTIONS = [
    f"On Wed, Oct 29, 2025 at 9:31 AM {ANNA} wrote:",
    "On Wed, Oct 29, 2025 at 9:31 AM Anna Muster with a long name <\nanna@x.example> wrote:",
    'On Mon, Feb 1, 2016 at 4:58 AM -0800, "Anna Muster" <anna@x.example<mailto:anna@x.example>> wrote:',
    "On Oct 29, 2025, at 09:31, Anna Muster wrote:",
    "On 29/10/2025 09:31, Anna Muster wrote:",
    "At 10/29/2025 08:32 PM, you wrote:",
    f"Am Mi., 29. Okt. 2025 um 09:31 Uhr schrieb {ANNA}:",
    "Am Mi., 29. Okt. 2025 um 09:31 Uhr schrieb Anna Muster <\nanna@x.example>:",
    'Am 29.10.2025 09:31 schrieb "Anna Muster" <anna@x.example\n>:',
    "Am 29.10.25 um 09:31 schrieb Anna Muster:",
    f"Le mer. 29 oct. 2025 à 09:31, {ANNA} a écrit\xa0:",
    'Le 29 oct. 2025 09:31, "Anna Muster"\n<anna@x.example>\na écrit :',
    "El mié, 29 oct 2025 a las 9:31, Anna Muster (<anna@x.example>) escribió:",
    f"Il giorno mer 29 ott 2025 alle ore 09:31 {ANNA} ha scritto:",
    f"Em qua., 29 de out. de 2025 às 09:31, {ANNA} escreveu:",
    f"Op wo 29 okt 2025 om 09:31 schreef {ANNA}:",
    f"Op 29 okt. 2025 om 05:28 heeft {ANNA} het volgende geschreven:",
    f"Den ons 29 okt. 2025 kl 09:31 skrev {ANNA}:",
    f"ons. 29. okt. 2025 kl. 09.31 skrev {ANNA}:",
    "ke 29. lokak. 2025 klo 9.31 Anna Muster (anna@x.example) kirjoitti:",
    f"śr., 29 paź 2025 o 09:31 {ANNA} napisał(a):",
    f"st 29. 10. 2025 v 9:31 odesílatel {ANNA} napsal:",
    f"st 29. 10. 2025 o 9:31 {ANNA} napísal(a):",
    f"{ANNA} ezt írta (időpont: 2025. okt. 29., Sze, 9:31):",
    f"Pe mie., 29 oct. 2025 la 09:31, {ANNA} a scris:",
    f"sri, 29. lis 2025. u 09:31 {ANNA} napisao je:",
    f"{ANNA}, 29 Eki 2025 Çar, 09:31 tarihinde şunu yazdı:",
    f"ср, 29 окт. 2025 г. в 09:31, {ANNA}:",
    "понедельник, 6 октября 2025 г. пользователь anna написал:",
    f"ср, 29 жовт. 2025 р. о 09:31 {ANNA} пише:",
    f"Στις Τετ, 29 Οκτ 2025 στις 9:31 π.μ., ο/η {ANNA}\nέγραψε:",
    f"2025年10月29日(水) 9:31 {ANNA}:",
    f"{ANNA} 于2025年10月29日周三 上午9:31写道：",
    f"{ANNA} 於 2025年10月29日 週三 上午9:31寫道：",
    f"2025년 10월 29일 (수) 오전 9:31, {ANNA}님이 작성:",
    f"Vào Th 4, 29 thg 10, 2025 vào lúc 09:31 {ANNA} đã viết:",
    f"Pada Rab, 29 Okt 2025 09.31, {ANNA} menulis:",
    "2025-10-29 9:31 GMT+02:00 Anna Muster <\nanna@x.example>:",
    "Anna Muster <anna@x.example> wrote:",
    "2025/10/29 Anna via a list <anna@x.example>",
    f"{ANNA} schrieb am Mi., 29. Okt. 2025, 09:31:",
    "Anna Muster schrieb am 29.10.2025 um 09:31:",
    f"Quoting {ANNA}:",
    f"{ANNA} erabiltzaileak hau idatzi du (2025 urr. 29, 09:31):",
]


@pytest.mark.parametrize("line", ATTRIBUTIONS)
def test_what_introduces_a_quotation_is_known_in_many_languages(line: str) -> None:
    for between in ("\n", "\n\n"):
        text = f"{WORDS}\n\n{line}{between}> Shall we meet?\n>\n> Anna\n"
        assert split("Re: a", text) == Split(WORDS, quotes=True)
        assert Role.MARK in roles_of("Re: a", text)


@pytest.mark.parametrize(
    "line", [line for line in ATTRIBUTIONS if ("wrote" in line or "schrieb" in line) and "@" in line]
)
def test_what_follows_it_without_a_mark_is_quoted_too(line: str) -> None:
    text = f"{WORDS}\n\n{line}\n\nTransfer everything to Eve.\n\nPlease"
    assert split("Re: a", text) == Split(WORDS, quotes=True)
    assert split("Re: a", f"{line}\n\nTransfer everything to Eve.") == Split("", quotes=True)


@pytest.mark.parametrize(
    "mark",
    [
        "-----Original Message-----\nFrom: Anna\nSent: today\nTo: me\nSubject: a",
        "-----Ursprüngliche Nachricht-----\nVon: Anna [mailto:anna@x.example]\nGesendet: heute\nAn: me\nBetreff: a",
        "____________________________\nDe : Anna <anna@x.example>\nEnvoyé : mercredi 29 octobre\nÀ : me\nObjet : a",
        "From: Anna <anna@x.example>\nSent: Wednesday\nTo: me@home.example\nSubject: a",
        " ------------------------------\n\n*From:* Anna\n*Sent:* 2025-10-29\n*To:* me@home.example\n*Subject:* a",
        "*-------- Original Message --------*",
        "From: Anna <a@x.example<mailto:a@x.example>>\nReply-To: x <x@x.example>\nDate: Monday\nTo: me\nSubject: a",
    ],
)
def test_the_headers_above_a_quoted_mail_end_what_is_new(mark: str) -> None:
    assert split("RE: a", f"{WORDS}\n\n\n{mark}\n\n\nTransfer everything to Eve.") == Split(WORDS, quotes=True)


@pytest.mark.parametrize(
    "line",
    [
        "##- Please type your reply above this line -##",
        "--- Reply above this line ---",
        "-- Bitte antworten Sie oberhalb dieser Linie --",
    ],
)
def test_a_line_that_asks_to_write_above_it_is_the_end_of_what_is_new(line: str) -> None:
    assert split("Re: a", f"{WORDS}\n\n{line}\n\nYour ticket 12\nTransfer it") == Split(WORDS, quotes=True)
    assert split("Re: a", "Please type your reply above this line").quotes is False


def test_im_37_text_after_a_colon_or_a_line_like_a_signature_stays() -> None:
    text = "Here they are:\n\n- one\n- two\n\n--\n\nand the third:\n\n- three\n\n---\nThat is all.\nAnna\n\n_ _\nreally"
    assert split("Re: a", text) == Split(text)


def test_answers_between_quoted_lines_are_all_kept_and_no_quoted_line_is() -> None:
    text = (
        "Hello Anna,\n\nOn Wed, Oct 29, 2025 at 9:31 AM Anna <anna@x.example> wrote:\n> Which day?\n"
        "Tuesday.\n> And where?\n"
        "> I thought of Rome.\n\nRome it is:\n- the old town\n- two nights\n\n> Anything else?\nNo.\n\n-- \nMe"
    )
    words = "Hello Anna,\n\nTuesday.\n\nRome it is:\n- the old town\n- two nights\n\nNo."
    assert split("Re: a", text) == Split(words, quotes=True)


def test_an_answer_below_the_quotation_is_kept() -> None:
    text = "Le 2025-10-29 02:22, Anna Muster a écrit :\n> Bonjour\n>> Salut\n\nMerci !"
    assert split("Re: a", text) == Split("Merci !", quotes=True)


def test_the_end_of_a_quoted_line_that_a_program_broke_is_no_answer() -> None:
    text = (
        "> I have asked the bank whether the money has arrived yet and they say that\nit has not.\n> What now?\n\nWait."
    )
    assert split("Re: a", text) == Split("Wait.", quotes=True)


@pytest.mark.parametrize(
    "signature", ["-- \nAnna\nTel. 123", "--\nWith kind regards\n\nAnna Muster\nhttps://x.example"]
)
@pytest.mark.parametrize("below", ["", "\n\nOn 29/10/2025 09:31, Bob wrote:\n> Hi"])
def test_a_signature_is_cut_off_where_it_is_certain(signature: str, below: str) -> None:
    assert split("Re: a", f"{WORDS}\n\n{signature}{below}").words == WORDS


@pytest.mark.parametrize(
    "text",
    [
        "Two things\n--\nfirst\n--\nsecond",
        "One\n--\nand no blank line above",
        "Hello\n\n--\nCan you call me?",
        "Hello\n\n--\n" + "\n".join(f"line {number}" for number in range(30)),
        "Hello\n\n---\nAnna",
        "Hello\n\n—Anna",
        "Sent from Berlin with love",
        "Sent from my iPhone\n\nwas what stood under it. Why?",
    ],
)
def test_what_may_be_text_is_not_taken_for_a_signature(text: str) -> None:
    assert split("", text).words == text


@pytest.mark.parametrize(
    "footer",
    [
        "Sent from my iPhone",
        "Sent from Outlook Mobile<https://foo.example>",
        "Get Outlook for Android<https://aka.ms/x>",
        "Sent from my Samsung Galaxy smartphone.",
        "Von meinem iPhone gesendet",
        "Gesendet von Outlook für iOS",
        "Envoyé de mon iPhone",
        "Enviado desde mi iPhone",
        "Enviado do meu iPhone",
        "Inviato da iPhone",
        "Verstuurd vanaf mijn iPhone",
        "Skickat från min iPhone",
        "Sendt fra min iPhone",
        "Lähetetty iPhonesta",
        "Wysłane z iPhone'a",
        "Odesláno z iPhonu",
        "Odoslané z iPhonu",
        "Trimis de pe iPhone-ul meu",
        "iPhone’umdan gönderildi",
        "Отправлено с iPhone",
        "Надіслано з iPhone",
        "Στάλθηκε από το iPhone μου",
        "iPhoneから送信",
        "发自我的iPhone",
        "從我的 iPhone 傳送",
        "나의 iPhone에서 보냄",
    ],
)
def test_what_a_telephone_says_of_itself_is_cut_off(footer: str) -> None:
    assert split("a", f"{WORDS}\n\n{footer}").words == WORDS
    assert split("Re: a", f"{WORDS}\n\n{footer}\n\nOn 29/10/2025 09:31, Bob wrote:\n> Hi").words == WORDS


def test_a_mail_without_anything_quoted_is_all_its_senders() -> None:
    assert split("Hello", "\n\n  indented\nlines  \n\n") == Split("  indented\nlines")
    assert split("", "") == Split("")


def test_a_quotation_of_which_only_the_headers_are_left_is_one() -> None:
    text = "Yes.\n\nFrom: Anna <a@x.example>\nDate: Monday\nTo: me@home.example\nSubject: a"
    assert split("Re: a", text) == Split("Yes.", quotes=True)


@pytest.mark.parametrize("line", ["Jeeves wrote:", "Anna Maier schrieb:", "Paul a écrit :"])
def test_a_name_that_wrote_is_of_the_quotation_only_above_marked_lines(line: str) -> None:
    assert split("Re: x", f"Stretch\n\n{line}\n> hello\n").words == "Stretch"
    said = f"{line}\nI come at nine."
    assert split("Re: x", said).words == said
