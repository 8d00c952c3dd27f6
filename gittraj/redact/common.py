"""Words that stand where a secret would, and in every text about one: none of them is one."""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

from .names import words_of

DULL = words_of(
    "arg val a an the my your our his this that here there some any enter type insert put paste add set get use "
    "new old confirm current previous repeat change changeme changeit change_me update reset forgot invalid wrong replace replaceme "
    "incorrect missing required optional empty password passwd passwords pwd pass passphrase passcode secret "
    "secrets token tokens key keys api auth access refresh private public client server user username "
    "name login admin id value example sample demo dummy fake foo bar baz qux placeholder redacted hidden "
    "masked removed none null string text test tests testing mock todo fixme tbd goes real actual super "
    "very bearer basic jwt oauth session cookie is are be was must not no x xx xxx xxxx xxxxx if to of in "
    "on or and for from with as app my-app bot db database default hash hashed env variable var file path "
    "prompt field input label header https http com org localhost host url openai anthropic github gitlab "
    "google aws azure sk pk ghp encrypted decrypt encrypt verified valid expired failed failure rejected accepted accept denied provided "
    "given generated random some something whatever anything same different again matches mismatch match unknown "
    "zxcvbn foobared supersecret mysecret mypassword yourpassword yourkey yours mine credentials credential stored saved shown visible omitted filtered "
    "sensitive secure unsafe protected own see above below needed necessary ignored disabled enabled unchanged skipped "
    "prod production staging dev development service account repository personal it ant proj live please somewhere signing "
    "encryption webhook config settings store manager vault kubernetes opaque generic plain plaintext clear cleartext manual automatic auto identifier keyword operator "
    "punctuation literal comment expression number integer boolean function method class object array list type types param parameter argument "
    "authentication authorization authenticated unauthorized forbidden error errors warning info success ok okay done pending active inactive revoked "
    "rotated deleted created updated changed missing undefined unavailable available supported unsupported deprecated "
    "md5 sha1 sha256 sha512 bcrypt scrypt argon2 argon2id pbkdf2 hs256 rs256 es256 aes aes256 base64 utf8 utf-8 hex ascii rsa ed25519 ecdsa "
    "latest stdin stdout stderr length min max minimum maximum characters chars least long short strong weak too lowercase uppercase digit digits symbol"
)
STOP = words_of(
    "a an the is are was were be been to of in on at for from with by as or and not no your you my our we they it its this that these those "
    "must should can could will would may please if when which who what how does do did has have had per via into than then "
    "der die das ein eine ist nicht und oder mit für von zu im den dem ihr ihre sie bitte "
    "le la les un une est pas et ou avec pour de du des votre vos sur dans veuillez au "
    "el los las una es no y o con para su sus por favor al del "
    "il lo gli non e con per di il suo inserisci o um uma não com seu sua os "
    "jest nie i lub z do dla в не и или для на с вы ваш"
)
DESCRIBES = words_of(
    "obbligatoria obbligatorio obligatoria obligatorio obligatoire obrigatória obrigatório verpflichtend erforderlich verplicht påkrevd povinné wymagane "
    "required optional encrypted incorrect invalid expired missing changed updated hidden rejected accepted protected disabled enabled "
    "authentication authorization management manager generation validation rotation policy handling storage strength "
    "prompt field reset change complexity hashing hasher encoder encryption verification recovery based less only support "
    "identifier keyword operator punctuation punctuator terminator whitespace sensitive configured redacted undisclosed confidential unspecified unchanged "
    "interactive kubernetes facultatif obligatoire obligatorio obligatoria obrigatório obbligatorio obbligatoria opcional facoltativo facoltativa wymagane wymagany verplicht erforderlich pflichtfeld"
)
SUFFIXES = (
    "tion",
    "ment",
    "ness",
    "able",
    "ible",
    "ally",
    "ology",
    "ing",
    "ions",
    "ator",
    "ators",
    "ed",
    "or",
    "al",
    "ence",
    "ance",
    "ly",
    "ity",
    "ous",
    "ive",
    "ist",
    "ism",
    "ure",
    "ary",
    "ory",
    "ments",
    "ities",
    "ies",
    "ency",
    "less",
    "ful",
    "ants",
    "ents",
    "ized",
    "ised",
    *words_of("ada ado adas ados idas idos mente ción ção zione ungen keit heit lich iert ieren isch ierbar"),
)
