"""Parts of words that mark forwards, replies and mails from phones in all languages: data only."""

from typing import Final

from modules.email.parsing.languages import variants

FORWARD_STEMS: Final = variants(
    "forward|weitergeleit|weiterleit|transfér|transfer|réexpéd|reexped|reenvi|inoltr|encaminh|doorgest|vidarebefor"
    "|videresend|vidaresend|välitet|edelleen|přepos|preposl|předan|przekaz|przesłan|továbbít|redirec|înaint|retransm"
    "|proslijeđ|prosleđ|posredov|прослеђ|препрат|edasta|pārsūt|persi|iletil|yönlendir|пересыл|пересл|перенаправ"
    "|переадрес|προώθ|προωθ|שהועבר|מועבר|توجيه|محول|转发|轉寄|轉發|転送|전달|chuyển tiếp|terusan|diterus|ส่งต่อ"
    "|tramès|reenviat|fwd"
)
"""Parts of the words for forwarding; one of them between dashes above a mail's headers marks a forward."""

ORIGINAL_STEMS: Final = variants(
    "origin|ursprüng|urspr|d'origine|oorspronk|opprinnelig|opphavleg|oprindelig|alkuperäi|původní|pôvodn|oryginal"
    "|pierwotn|eredeti|orijinal|özgün|исходн|оригинал|оригінал|вихідн|початков|αρχικό|πρωτότυπ|מקורי|الأصلي|元の"
    "|オリジナル|原始|原邮件|邮件原件|원본|izvorn|izvirn|algne|pradinis|oriģinā|gốc|asli|ต้นฉบับ"
)

FORWARD_PREFIXES: Final = frozenset(
    variants(
        "fwd|fw|forward|forwarded|wg|weitergeleitet|weiterl|tr|transf|trans|rv|rtv|reenv|reenviado|i|enc|doorst"
        "|dstr|vb|vidarebefordrat|vs|videresend|videresendt|vl|pd|przekaz|přepo|tov|továbbítás|továbbítva|redir"
        "|prosl|prp|ilt|i̇lt|ileti|yön|yonl|ynl|пересл|пересылка|пер|переслано|пд|πρθ|προώθ|הועבר|העברה|转发|轉寄|轉發"
        "|転送|전달|fs|áframsending|trs|edas|pārs|persi|chuyển tiếp|terus"
    )
)
"""Beginnings of a forward's subject, before a colon."""

REPLY_PREFIXES: Final = frozenset(
    variants(
        "re|aw|antw|antwort|sv|svar|rif|r|res|resp|rép|rep|réf|ref|odp|odpověď|ynt|yan|yanıt|vá|válasz|vs|vast|на|отв"
        "|ответ|відп|απ|σχετ|השב|תשובה|回复|答复|回覆|返信|회신|답장|atb|ats|bls|qaytar|ang|rsp|răsp|rasp|odg|відповідь"
        "|رد|trả lời|bal|vas"
    )
)

FINNISH_SENDER: Final = "lähettäjä"
"""Tells the Finnish reply (VS, vastaus) from the Danish forward (VS, videresend)."""

REPLY_ABOVE: Final = variants(
    "reply above this line|type your reply above|write above this line|respond above this line|reply above this"
    "|antworten sie oberhalb dieser|antwort oberhalb dieser|antwort über dieser linie|répondre au-dessus de cette ligne"
    "|répondez au-dessus de cette ligne|responda por encima de esta línea|responde por encima de esta línea"
    "|rispondi sopra questa riga|responda acima desta linha|antwoord boven deze regel|svara ovanför denna rad"
)
"""Parts of the line by which customer service programs mark where a reply has to end."""

QUOTING: Final = variants(
    "quoting |zitat von |citando a |citando |citation de |in article |in message |citát od |cytat "
)
"""Beginnings of a line that names the author of the words below, without a verb and a date."""

DEVICES: Final = variants(
    "iphon|ipad|ipod|android|samsung|galaxy|outlook|mail|blackberry|huawei|xiaomi|redmi|smartphone|phone|mobile"
    "|mobil|móvil|movil|celular|mobiel|handy|telefon|téléphone|teléfono|telefoon|puhelim|telemóvel|cellulare|tablet"
    "|device|windows|yahoo|proton|k-9|pixel|nokia|sony|motorola|thunderbird|spark|hey.com|ios|телефон|смартфон|айфон"
    "|手机|手機|スマートフォン|휴대폰|갤럭시|κινητό|cep|honor|oppo|oneplus|fairphone|lte|airmail|sparrow|superhuman|boxer|typeapp|newton|polymail"
)
