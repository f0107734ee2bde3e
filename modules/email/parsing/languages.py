"""The words by which mail programs of many languages mark quoted and forwarded mails: data only.

Variants are separated by bars. Apart from case they are as programs write them.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Header(StrEnum):
    """A header of an inner mail."""

    SENDER = "sender"
    TO = "to"
    COPY = "copy"
    DATE = "date"
    SUBJECT = "subject"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Language:
    """The words of the programs of one language."""

    sender: str
    to: str
    copy: str
    date: str
    subject: str
    forwarded: str = ""
    """Whole lines above a forwarded mail, without dashes and the colon."""
    wrote: str = ""
    """The verbs of "On Monday Anna wrote:"."""
    on: str = ""
    """Beginnings of such a line, other than a number or a name."""
    footer: str = ""
    """Beginnings of a line by which a phone identifies itself."""
    other: str = ""


def variants(text: str) -> tuple[str, ...]:
    """Split variants at the bars."""
    return tuple(filter(None, text.split("|")))


LANGUAGES: Final = (
    Language(  # English; many programs of other languages write it too
        sender="From",
        to="To|Delivered-To",
        copy="Cc|Bcc|Copy",
        date="Date|Sent|Sent at|Sent on|Received",
        subject="Subject",
        other="Reply-To|Reply To|Importance|Priority|Attachments|Organization|Message-ID|In-Reply-To|Sensitivity"
        "|Sender|Return-Path|List-Id|User-Agent|MIME-Version|Content-Type|Categories|Resent-From|Resent-To",
        forwarded="Forwarded message|Begin forwarded message|Original message|Forwarded email|Original email"
        "|Start of forwarded message|Original appointment|Forwarded mail|Start forwarded message",
        wrote="wrote|writes|has written",
        on="On|At|In",
        footer="Sent from|Sent via|Sent with|Get Outlook for|Sent using|Download the AOL app|Yahoo Mail:",
    ),
    Language(  # German
        sender="Von|Absender",
        to="An|Empfänger",
        copy="Kopie|Kopie an|Blindkopie|Bcc",
        date="Datum|Gesendet|Gesendet am|Gesendet um|Verschickt",
        subject="Betreff|Betr",
        other="Antwort an|Antworten an|Wichtigkeit|Priorität|Anlagen|Organisation",
        forwarded="Weitergeleitete Nachricht|Anfang der weitergeleiteten Nachricht|Ursprüngliche Nachricht"
        "|Originalnachricht|Original-Nachricht|Weitergeleitete E-Mail|Weitergeleitete Mail|Ursprüngliche Mail"
        "|Anfang der weitergeleiteten E-Mail|Urspr. Nachricht",
        wrote="schrieb|schrieben|hat geschrieben|geschrieben",
        on="Am|Den|Der|Die|Vom|Zitat von|Von",
        footer="Von meinem|Von meiner|Gesendet von|Gesendet mit|Gesendet über|Von unterwegs gesendet"
        "|Diese Nachricht wurde von|Outlook für|Holen Sie sich Outlook|Gesendet aus",
    ),
    Language(  # French
        sender="De|Expéditeur|Exp",
        to="À|A|Pour|Destinataire|Destinataires",
        copy="Cc|Cci|Copie|Copie à|Copie cachée à",
        date="Date|Envoyé|Envoyé le|Date d'envoi|Envoyée",
        subject="Objet|Sujet",
        other="Répondre à|Répondre|Importance|Pièces jointes|Organisation",
        forwarded="Message transféré|Début du message réexpédié|Début du message transféré|Message d'origine"
        "|Message original|Message initial|Message réexpédié|E-mail transféré|Mail transféré|Mail original",
        wrote="a écrit|écrit|écrivait|a ecrit",
        on="Le|Selon",
        footer="Envoyé de|Envoyé à partir|Envoyé depuis|Envoyé avec|Envoyé via|Obtenir Outlook pour"
        "|Télécharger Outlook pour",
    ),
    Language(  # Spanish
        sender="De|Remitente",
        to="Para|A|Destinatario",
        copy="Cc|CC|Cco|Copia|Con copia a",
        date="Fecha|Enviado|Enviado el|Enviada el|Enviado a las",
        subject="Asunto|Tema",
        other="Responder a|Importancia|Prioridad|Datos adjuntos",
        forwarded="Mensaje reenviado|Inicio del mensaje reenviado|Mensaje original|Comienzo del mensaje reenviado"
        "|Inicio de mensaje reenviado|Correo reenviado|Mensaje de correo original",
        wrote="escribió|escribio|ha escrito|escribía",
        on="El|A las|En",
        footer="Enviado desde|Enviado con|Obtener Outlook para|Descargar Outlook para|Enviado mediante"
        "|Enviado a través",
    ),
    Language(  # Italian
        sender="Da|Mittente",
        to="A|Destinatario|Per",
        copy="Cc|Ccn|Copia|Copia a|Per conoscenza",
        date="Data|Inviato|Inviato il|Data invio",
        subject="Oggetto",
        other="Rispondi a|Rispondere a|Priorità|Allegati",
        forwarded="Messaggio inoltrato|Inizio messaggio inoltrato|Messaggio originale|Inizio del messaggio inoltrato"
        "|Messaggio originario|E-mail inoltrata",
        wrote="ha scritto|scrisse|scrive|ha inviato",
        on="Il|Il giorno|In data|Alle",
        footer="Inviato da|Inviato dal|Inviata da|Inviato con|Scarica Outlook per|Ottieni Outlook per",
    ),
    Language(  # Portuguese, of Portugal and Brazil
        sender="De|Remetente",
        to="Para|A|Destinatário",
        copy="Cc|CC|Cco|Cópia|Com cópia",
        date="Data|Enviado|Enviada|Enviado em|Enviada em|Enviado a",
        subject="Assunto",
        other="Responder a|Responder para|Responder-Para|Importância|Prioridade|Anexos",
        forwarded="Mensagem encaminhada|Mensagem reencaminhada|Início da mensagem encaminhada|Mensagem original"
        "|Início da mensagem reencaminhada|Mensagem enviada|Mensagem de origem|E-mail encaminhado",
        wrote="escreveu|escreveram|escrevia",
        on="Em|No dia|A|Na|No|Às",
        footer="Enviado do|Enviado de|Enviado a partir|Enviado via|Enviado pelo|Enviada do|Obter o Outlook para"
        "|Obtenha o Outlook para",
    ),
    Language(  # Catalan
        sender="De|Remitent",
        to="Per a|A|Per",
        copy="Cc|Còpia|A/c",
        date="Data|Enviat|Enviat el",
        subject="Assumpte|Tema",
        forwarded="Missatge reenviat|Inici del missatge reenviat|Missatge original",
        wrote="va escriure|ha escrit",
        on="El|En data",
        footer="Enviat des|Enviat amb",
    ),
    Language(  # Dutch
        sender="Van|Afzender",
        to="Aan|Naar|Ontvanger",
        copy="Cc|CC|Kopie|Kopie aan",
        date="Datum|Verzonden|Verstuurd|Verzonden op",
        subject="Onderwerp|Betreft",
        other="Antwoord aan|Antwoorden aan|Beantwoorden|Urgentie|Prioriteit|Bijlagen",
        forwarded="Doorgestuurd bericht|Begin doorgestuurd bericht|Oorspronkelijk bericht|Origineel bericht"
        "|Begin van doorgestuurd bericht|Doorgestuurde e-mail",
        wrote="schreef|heeft geschreven|geschreven|het volgende geschreven|schreef het volgende",
        on="Op|Om",
        footer="Verstuurd vanaf|Verzonden vanaf|Verstuurd met|Verzonden met|Verzonden via|Verstuurd via|Outlook voor"
        "|Download Outlook voor",
    ),
    Language(  # Swedish
        sender="Från|Avsändare",
        to="Till|Mottagare",
        copy="Kopia|Kopia till|Hemlig kopia|Kopior",
        date="Datum|Skickat|Skickades|Skickat den",
        subject="Ämne|Rubrik",
        other="Svara till|Svar till|Svar-till|Prioritet|Bifogade filer|Angelägenhetsgrad",
        forwarded="Vidarebefordrat meddelande|Vidarebefordrat brev|Ursprungligt meddelande|Originalmeddelande"
        "|Börja vidarebefordrat meddelande|Vidarebefordrat mail|Ursprungligt brev|Början på vidarebefordrat brev"
        "|Början av vidarebefordrat meddelande|Vidarebefordrat mejl",
        wrote="skrev|skrev följande|har skrivit",
        on="Den|Kl",
        footer="Skickat från|Skickades från|Skickat med|Hämta Outlook för|Skaffa Outlook för|Sänt från",
    ),
    Language(  # Danish
        sender="Fra|Afsender",
        to="Til|Modtager",
        copy="Cc|Kopi|Kopi til",
        date="Dato|Sendt|Sendt den",
        subject="Emne|Vedrørende|Vedr",
        other="Svar til|Svar-til|Besvar til|Prioritet|Vedhæftede filer",
        forwarded="Videresendt meddelelse|Start på videresendt besked|Videresendt besked|Oprindelig meddelelse"
        "|Original meddelelse|Oprindelig besked|Original besked|Videresendt mail",
        wrote="skrev|skrev følgende|har skrevet",
        on="Den|D.|Kl.",
        footer="Sendt fra|Sendt med|Hent Outlook til|Få Outlook til|Sendt via",
    ),
    Language(  # Norwegian
        sender="Fra|Avsender",
        to="Til|Mottaker",
        copy="Kopi|Kopi til|Blindkopi",
        date="Dato|Sendt|Sendt den",
        subject="Emne",
        other="Svar til|Svar-til|Prioritet|Vedlegg",
        forwarded="Videresendt melding|Start på videresendt melding|Opprinnelig melding|Videresendt e-post"
        "|Begynnelse på videresendt melding|Original melding|Vidaresend melding|Opphavleg melding"
        "|Videresendt beskjed",
        wrote="skrev|skrev følgende|har skrevet",
        on="Den|På|Kl.",
        footer="Sendt fra|Sendt med|Last ned Outlook for|Skaff deg Outlook for",
    ),
    Language(  # Finnish
        sender="Lähettäjä",
        to="Vastaanottaja|Vastaanottajat|Saaja|Kenelle",
        copy="Kopio|Kopiot|Piilokopio|Jakelu",
        date="Päiväys|Päivämäärä|Lähetetty|Pvm|Lähetysaika",
        subject="Aihe|Otsikko",
        other="Vastausosoite|Vastaa osoitteeseen|Vastaus|Tärkeys|Liitteet",
        forwarded="Välitetty viesti|Välitetty viesti / Fwd.Msg|Edelleenlähetetty viesti|Alkuperäinen viesti"
        "|Välitetty viesti alkaa|Edelleen lähetetty viesti|Alkuperäinen sähköposti|Aloita välitetty viesti",
        wrote="kirjoitti|kirjoittaa|kirjoitti näin",
        on="Klo|Kello",
        footer="Lähetetty|Hanki Outlook|Lataa Outlook",
    ),
    Language(  # Polish
        sender="Od|Nadawca",
        to="Do|Adresat|Odbiorca",
        copy="Dw|DW|UDW|Kopia|Do wiadomości|Cc",
        date="Data|Wysłano|Wysłane|Data wysłania",
        subject="Temat|Dotyczy",
        other="Odpowiedz do|Odpowiedź do|Priorytet|Ważność|Załączniki",
        forwarded="Przekazana wiadomość|Początek przekazywanej wiadomości|Treść przekazanej wiadomości"
        "|Wiadomość oryginalna|Oryginalna wiadomość|Przesłana wiadomość|Wiadomość przekazana"
        "|Wiadomość przesłana dalej|Początek przekazanej wiadomości|Pierwotna wiadomość",
        wrote="napisał|napisała|napisał(a)|pisze|napisali|napisał/a",
        on="W dniu|Dnia|On|W",
        footer="Wysłane z|Wysłano z|Wysłane za|Pobierz program Outlook|Pobierz aplikację Outlook|Wysłane przez",
    ),
    Language(  # Czech
        sender="Od|Odesílatel",
        to="Komu|Příjemce|Pro",
        copy="Kopie|Skrytá kopie|Cc",
        date="Datum|Odesláno|Posláno",
        subject="Předmět|Věc",
        other="Odpověď na|Odpovědět komu|Důležitost|Přílohy|Priorita",
        forwarded="Přeposlaná zpráva|Začátek přeposílané zprávy|Původní zpráva|Předaná zpráva|Původní e-mail"
        "|Přeposílaná zpráva|Začátek přeposlané zprávy|Původní email",
        wrote="napsal|napsala|napsal(a)|píše|napsal/a",
        on="Dne|V|Ve",
        footer="Odesláno z|Odesláno přes|Odesláno pomocí|Získejte Outlook pro|Posláno z",
    ),
    Language(  # Slovak
        sender="Od|Odosielateľ",
        to="Komu|Pre|Príjemca",
        copy="Kópia|Skrytá kópia|Cc",
        date="Dátum|Odoslané|Poslané",
        subject="Predmet|Vec",
        other="Odpovedať|Odpoveď pre|Dôležitosť|Prílohy",
        forwarded="Preposlaná správa|Začiatok preposlanej správy|Pôvodná správa|Preposlaný e-mail|Prepošlaná správa"
        "|Pôvodný e-mail",
        wrote="napísal|napísala|napísal(a)|píše|napísal/a",
        on="Dňa|V|Vo",
        footer="Odoslané z|Poslané z|Získajte Outlook pre|Odoslané pomocou",
    ),
    Language(  # Hungarian
        sender="Feladó|Küldő",
        to="Címzett|Címzettek|Kinek",
        copy="Másolat|Másolatot kap|Titkos másolat|Cc",
        date="Dátum|Elküldve|Küldve|Küldés ideje",
        subject="Tárgy",
        other="Válaszcím|Válasz|Fontosság|Mellékletek",
        forwarded="Továbbított üzenet|Továbbított levél kezdete|Eredeti üzenet|Továbbított levél|Eredeti levél"
        "|Továbbított üzenet kezdete|Továbbított e-mail",
        wrote="írta|ezt írta|a következőt írta|írja|írta a következőt",
        on="Ekkor",
        footer="Küldve|Elküldve|Az Outlook beszerzése",
    ),
    Language(  # Romanian
        sender="De la|Expeditor|Expeditorul|De",
        to="Către|Catre|Destinatar|Destinatarul|La|Pentru",
        copy="Cc|Copie|Cópia",
        date="Dată|Data|Trimis|Trimisă|Trimis la",
        subject="Subiect|Subiectul",
        other="Răspunde la|Răspuns către|Răspunde către|Importanță|Atașări",
        forwarded="Mesaj redirecționat|Începe mesajul redirecționat|Mesaj original|Mesajul original"
        "|Mesaj redirectionat|Mesaj înaintat|Mesaj retransmis|Mesaj transmis mai departe",
        wrote="a scris|scrie|au scris",
        on="În|Pe|La|In|Pe data de",
        footer="Trimis de pe|Trimis din|Trimis cu|Obțineți Outlook pentru|Descărcați Outlook pentru",
    ),
    Language(  # Croatian, Serbian, Bosnian, Slovenian
        sender="Šalje|Od|Pošiljatelj|Pošiljalac|Šiljalac|Пошиљалац|Од",
        to="Prima|Za|Primatelj|Kome|Primalac|Prejemnik|За|Прималац",
        copy="Kopija|Cc|Kp|Копија",
        date="Datum|Poslano|Poslato|Датум|Послато",
        subject="Predmet|Naslov|Zadeva|Тема|Предмет|Наслов",
        other="Odgovori na|Odgovor na|Odgovori|Važnost|Privitci",
        forwarded="Proslijeđena poruka|Započni proslijeđenu poruku|Izvorna poruka|Prosleđena poruka"
        "|Originalna poruka|Posredovano sporočilo|Izvirno sporočilo|Početak proslijeđene poruke"
        "|Začetek posredovanega sporočila|Прослеђена порука|Оригинална порука",
        wrote="napisao je|je napisao|napisala je|je napisala|napisao|napisala|piše|je napisao/la|napisao/la"
        "|je napisal|je napisal/-a|је написао|је написао/ла|написао је",
        on="Dana|U|Dne|Дана|У",
        footer="Poslano s|Poslano iz|Poslano sa|Poslato sa|Nabavite Outlook za|Послато са",
    ),
    Language(  # Bulgarian
        sender="От|Подател",
        to="До|За",
        copy="Копие|Як|Cc",
        date="Дата|Изпратено|Изпратен",
        subject="Относно|Тема",
        forwarded="Препратено съобщение|Начало на препратеното съобщение|Оригинално съобщение|Оригинално писмо",
        wrote="написа|пише|написала",
        on="На",
        footer="Изпратено от",
    ),
    Language(  # Estonian, Latvian, Lithuanian
        sender="Saatja|No|Nuo|Siuntėjas|Sūtītājs|Kellelt",
        to="Adressaat|Saaja|Kam|Kellele|Gavėjas|Saņēmējs",
        copy="Koopia|Kopija|Cc",
        date="Kuupäev|Saadetud|Saatmisaeg|Datums|Nosūtīts|Data|Išsiųsta",
        subject="Teema|Temats|Tēma|Tema",
        forwarded="Edastatud kiri|Edastatud sõnum|Algne kiri|Algne sõnum|Pārsūtīts ziņojums|Pārsūtītais ziņojums"
        "|Oriģinālais ziņojums|Persiųstas laiškas|Persiunčiamas laiškas|Pradinis laiškas|Originalus laiškas"
        "|Pārsūtītā vēstule|Persiųsta žinutė",
        wrote="kirjutas|rakstīja|rašė|parašė|raksta",
        on="Kell|Plkst.",
        footer="Saadetud minu|Saadetud|Nosūtīts no|Siųsta iš|Išsiųsta iš",
    ),
    Language(  # Turkish
        sender="Kimden|Gönderen",
        to="Kime|Alıcı|Alıcılar",
        copy="Bilgi|Cc|Gizli|Kopya",
        date="Tarih|Gönderilen|Gönderildi|Gönderme Tarihi|Gönderim Tarihi|Gönderilme zamanı",
        subject="Konu",
        other="Yanıt Adresi|Yanıtla|Yanıt|Önem|Ekler",
        forwarded="İletilen İleti|İletilmiş Mesaj|İletilen ileti başlangıcı|Yönlendirilmiş ileti|Orijinal Mesaj"
        "|Özgün İleti|Yönlendirilen ileti|İletilen mesaj|Orijinal İleti|Yönlendirilen mesaj|İleti başlangıcı"
        "|İletilen mesajın başlangıcı|Yönlendirilen ileti başlangıcı|Iletilen mesaj",
        wrote="yazdı|şunu yazdı|şöyle yazdı|şunları yazdı|tarihinde şunu yazdı",
        footer="iPhone'umdan|iPhone’umdan|iPad'imden|Android için|iOS için Outlook|Samsung",
    ),
    Language(  # Russian
        sender="От|От кого|Отправитель",
        to="Кому|Получатель",
        copy="Копия|Скрытая копия|Копии",
        date="Дата|Отправлено|Отправлен|Послано|Дата отправки",
        subject="Тема",
        other="Ответить|Кому ответить|Адрес для ответа|Обратный адрес|Важность|Вложения",
        forwarded="Пересылаемое сообщение|Начало переадресованного сообщения|Исходное сообщение|Пересылаемое письмо"
        "|Перенаправленное сообщение|Пересланное сообщение|Начало пересылаемого сообщения|Оригинальное сообщение"
        "|Переадресованное сообщение|Начало перенаправленного сообщения|Пересланное письмо|Исходное письмо",
        wrote="написал|написала|написал(а)|пишет|писал|писала|написал(-а)|написали",
        on="В|Во",
        footer="Отправлено с|Отправлено из|Послано с|Отправлено через|Получить Outlook для",
    ),
    Language(  # Ukrainian
        sender="Від|Від кого|Відправник",
        to="Кому|Одержувач|До",
        copy="Копія|Прихована копія|Копії",
        date="Дата|Відправлено|Надіслано",
        subject="Тема",
        other="Відповісти|Кому відповісти|Зворотна адреса|Важливість|Вкладення",
        forwarded="Переслане повідомлення|Перенаправлене повідомлення|Початок листа, що пересилається"
        "|Початок переадресованого повідомлення|Оригінальне повідомлення|Вихідне повідомлення|Пересланий лист"
        "|Початок пересланого повідомлення|Початкове повідомлення|Переадресоване повідомлення",
        wrote="написав|написала|пише|написав(ла)|написав(-ла)|написав/ла",
        on="У|В",
        footer="Надіслано з|Відправлено з|Надіслано за",
    ),
    Language(  # Greek
        sender="Από|Αποστολέας",
        to="Προς|Παραλήπτης",
        copy="Κοιν|Κοινοποίηση|Κοιν.|Αντίγραφο",
        date="Ημερομηνία|Στάλθηκε|Απεστάλη|Ημ/νία",
        subject="Θέμα",
        other="Απάντηση προς|Απάντηση σε|Προτεραιότητα|Συνημμένα",
        forwarded="Προωθημένο μήνυμα|Αρχή προωθημένου μηνύματος|Αρχικό μήνυμα|Προωθούμενο μήνυμα|Πρωτότυπο μήνυμα"
        "|Έναρξη προωθημένου μηνύματος|Αρχή μηνύματος που προωθήθηκε",
        wrote="έγραψε|έγραψαν|γράφει",
        on="Στις|Την",
        footer="Στάλθηκε από|Εστάλη από|Απεστάλη από",
    ),
    Language(  # Hebrew
        sender="מאת|מ",
        to="אל|נמען|ל",
        copy="עותק|העתק",
        date="תאריך|נשלח",
        subject="נושא|הנדון",
        forwarded="הודעה שהועברה|תחילת ההודעה שהועברה|הודעה מקורית",
        wrote="כתב|כתבה|כתב/ה|מאת",
        on="בתאריך|ב",
        footer="נשלח מה|נשלח מ",
    ),
    Language(  # Arabic, Persian
        sender="من|از|المرسل|فرستنده",
        to="إلى|الى|به|المستلم|گیرنده",
        copy="نسخة|نسخة إلى|رونوشت",
        date="التاريخ|تاريخ الإرسال|تاریخ|أرسلت|تم الإرسال",
        subject="الموضوع|موضوع",
        forwarded="رسالة معاد توجيهها|بداية الرسالة المعاد توجيهها|الرسالة الأصلية|رسالة محولة|پیام هدایت شده",
        wrote="كتب|كتبت|نوشت",
        on="في|بتاريخ|در",
        footer="أرسلت من|تم الإرسال من",
    ),
    Language(  # Japanese
        sender="差出人|送信者|送信元|発信者",
        to="宛先|受信者|送信先|あて先",
        copy="Cc|CC|写し",
        date="日付|日時|送信日時|送信日|受信日時",
        subject="件名|題名|タイトル",
        other="返信先|重要度|添付ファイル",
        forwarded="転送されたメッセージ|転送メッセージ|元のメッセージ|転送メール|Original Message"
        "|オリジナルメッセージ|転送されたメール|転送されたメッセージの先頭",
        wrote="書きました|は書きました|のメール|のメッセージ|は以下のように書きました|wrote",
        footer="iPhoneから送信|iPadから送信|iOS版|Android版|スマートフォンから送信",
    ),
    Language(  # Chinese, simplified
        sender="发件人|发信人|寄件人|发自",
        to="收件人|收信人",
        copy="抄送|抄送人|密送",
        date="日期|时间|发送时间|发送日期|发送|已发送",
        subject="主题|标题",
        other="回复|答复|回复至|重要性|附件",
        forwarded="转发的邮件|转发邮件信息|原始邮件|下面是被转发的邮件|开始转发的邮件|转发的消息|邮件原件|已转发邮件"
        "|转发邮件|原邮件|原始信息|以下是转发邮件",
        wrote="写道|写到|写",
        on="在|于",
        footer="发自我的|从我的|获取 Outlook|来自我的|从 Windows",
    ),
    Language(  # Chinese, traditional
        sender="寄件者|寄件人|發件人|自",
        to="收件者|收件人|至",
        copy="副本|密件副本|抄送",
        date="日期|傳送時間|寄件日期|時間|已傳送|寄送時間",
        subject="主旨|主題|標題",
        forwarded="轉寄的郵件|轉寄郵件|原始郵件|以下是被轉寄的郵件|開始轉寄郵件|轉寄的訊息|原始訊息|已轉寄的郵件"
        "|轉寄信件|原始信件",
        wrote="寫道|寫到|寫",
        on="在|於",
        footer="從我的|取得 Outlook|傳送自|寄自我的",
    ),
    Language(  # Korean
        sender="보낸 사람|보낸사람|발신인|발신|보낸이|보내는 사람",
        to="받는 사람|받는사람|수신인|수신|받는이",
        copy="참조|숨은참조|숨은 참조",
        date="날짜|보낸 날짜|보낸날짜|보낸 시간|전송|발송일|일시|일자",
        subject="제목",
        other="회신 받는 사람|답장|중요도|첨부",
        forwarded="전달된 메시지|전달된 메시지 시작|원본 메시지|전달된 메일|원본 메일|전달된 이메일"
        "|전달된 메시지의 시작",
        wrote="작성|님이 작성|씀|님이 씀|작성함|썼습니다|쓴 글",
        footer="나의 iPhone|내 iPhone|iPhone에서|나의 iPad|Android용|iOS용|갤럭시|내 휴대폰",
    ),
    Language(  # Vietnamese, Indonesian, Malay, Thai
        sender="Từ|Người gửi|Dari|Pengirim|Daripada|จาก",
        to="Đến|Tới|Người nhận|Kepada|Ke|Untuk|ถึง",
        copy="Tembusan|Salinan|สำเนา|Cc",
        date="Ngày|Đã gửi|Thời gian|Tanggal|Dikirim|Terkirim|Tarikh|Dihantar|วันที่|ส่งเมื่อ",
        subject="Chủ đề|Tiêu đề|Perihal|Subjek|Judul|เรื่อง|หัวเรื่อง",
        forwarded="Thư đã chuyển tiếp|Thư được chuyển tiếp|Bắt đầu thư được chuyển tiếp|Thư gốc|Pesan terusan"
        "|Pesan yang diteruskan|Pesan diteruskan|Pesan asli|Awal pesan terusan|ข้อความที่ส่งต่อ|ข้อความต้นฉบับ"
        "|Tin nhắn đã chuyển tiếp",
        wrote="đã viết|viết|menulis|เขียนว่า|เขียน",
        on="Vào|Pada|เมื่อ",
        footer="Được gửi từ|Gửi từ|Dikirim dari|ส่งจาก",
    ),
)
