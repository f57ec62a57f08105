"""Which field names announce a secret: `apiKey` does, `nextPageToken` and `max_tokens` do not.

Only names are judged here, never values. A name counts as sensitive when it contains a known phrase, unless the
phrase is a known harmless one (`page_token`) or the name goes on to speak *about* the secret (`secret_name`).
"""

import re
from functools import lru_cache

_KEY_KINDS = (
    "api|private|secret|access|signing|encryption|decryption|master|root|wrapping|ssh|tls|ssl|auth|account|shared"
    "|hmac|deploy|client|subscription"
)
_ACCOUNT_KINDS = (
    "db|database|user|smtp|imap|mail|mysql|pg|postgres|redis|mongo|root|admin|login|http|ftp|ssh|proxy|sudo"
)
# `tokens` in the plural is nearly always a count (prompt_tokens), so it needs one of these before it.
_CREDENTIAL_KINDS = "access|refresh|auth|id|api|session|bearer|bot|csrf|xsrf|oauth|capability|secret|user"

_PHRASE = re.compile(
    rf"""(?:
      pass_?(?:word|wd|phrase|code)s? | secrets? | token | (?:{_CREDENTIAL_KINDS})_?tokens | (?:{_KEY_KINDS})_?keys?
    | (?<![a-z])(?:
          pwds? | bearer | authorization | cookies? | credentials? | creds | ssn | social_?security(?:_?number)?
        | (?:credit_?|debit_?)?card_?(?:number|num) | cc_?(?:number|num) | credit_?card
        | cv[vcn] | security_?code | pins? | t?otp | jwts? | (?:{_ACCOUNT_KINDS})_?pass
      )
    )(?![a-z])""",
    re.VERBOSE,
)
_HARMLESS_PHRASE = re.compile(
    r"(?:page|next|prev|previous|continuation|continue|cursor|pagination|paging|sync|skip|start|end|stop|eos|bos|pad"
    r"|unk|mask|sep|cls|special)_?token(?![a-z])|public_?keys?(?![a-z])"
)
# Last words that turn a secret's name into a statement about the secret.
_ABOUT_SECRETS = frozenset(
    """
    age algorithm algorithms allowed arn at attempts bits bucket budget changed class consent cost count created curve
    days description disabled domain enabled endpoint endpoints env error errors estimate exists expiration expired
    expires expiry field file filename fingerprint format four history hours id ids in index invalid issuer kind label
    last len length limit limits location manager max method methods min minutes missing mode name names owner path
    permissions policies policy prefix present price provider rate ratio reason ref reference remaining required
    requirement requirements rotated rotation rules scheme scope scopes second seconds set size source state status
    store strength supported ttl type types unit updated uri url usage use used uses valid version versions window
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_CAMEL_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINERS = re.compile(r"[ _.\-]+")
_WORD = re.compile(r"[a-z]+")
_LONGEST_CACHED_NAME = 64

# Every sensitive name contains one of these. Written for the gate in `redaction`, so: no look-around, and nothing that
# JSON escaping could pull apart. The letters before a bare `pin` may belong to an escape (`\npin`).
_GAP = "[ _.-]*"
NAME_HINTS = (
    rf"(?i:pass{_GAP}(?:word|wd|phrase|code)|secret|pwd|bearer|authorization|cookie|credential|creds|ssn|jwt|otp|cv[vcn])",
    r"(?i:token)(?:[^s]|$)",
    rf"(?i:(?:{_CREDENTIAL_KINDS}){_GAP}tokens)",
    rf"(?i:(?:{_KEY_KINDS}){_GAP}key)",
    rf"(?i:(?:{_ACCOUNT_KINDS}){_GAP}pass)",
    rf"(?i:social{_GAP}security|security{_GAP}code|credit{_GAP}card|(?:card|cc){_GAP}num)",
    r"(?:^|[^a-zA-Z]|\\[bfnrt]|\\u00[0-9a-f]{2})(?i:pin)(?:[^a-rt-z]|$)",
    r"P(?i:in)(?:[^a-rt-z]|$)",
)


def is_sensitive_name(name: str) -> bool:
    """Say whether a field of this name holds a secret."""
    # Names come from callers: a few megabyte-long ones must not be able to settle in the cache.
    return _remembered(name) if len(name) <= _LONGEST_CACHED_NAME else _judge(name)


def _judge(name: str) -> bool:
    humps_split = _CAMEL_HUMP.sub("_", name)
    # Both spellings, because `PaSsWoRd` has humps and `accessToken` needs them.
    return _names_a_secret(_flat(humps_split)) or _names_a_secret(_flat(name))


_remembered = lru_cache(maxsize=4096)(_judge)


def _flat(name: str) -> str:
    return _JOINERS.sub("_", name.lower())


def _names_a_secret(flat: str) -> bool:
    # A letter stands in: taking a phrase out must neither join its neighbours nor give them a border they lacked.
    candidate = _HARMLESS_PHRASE.sub("x", flat)
    ends = [found.end() for found in _PHRASE.finditer(candidate)]
    if not ends:
        return False
    words_after = _WORD.findall(candidate, ends[-1])
    return not words_after or words_after[-1] not in _ABOUT_SECRETS
