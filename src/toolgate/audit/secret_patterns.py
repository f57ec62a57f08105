"""Credentials that are recognised by their own shape, whatever field they stand in.

Each pattern has a hint: an expression for the gate in `redaction` that every match satisfies, also when the text is
JSON-encoded. Patterns are linear on any input: a run is tried once, from its start, with possessive repeats.
"""

import re
from base64 import b64decode
from collections.abc import Callable
from typing import NamedTuple

from toolgate.audit.assignments import mask_assignments
from toolgate.audit.mask import MASK
from toolgate.audit.personal_data import (
    PERSONAL_DATA_HINTS,
    mask_cards,
    mask_emails,
    mask_ibans,
    mask_social_security_numbers,
)
from toolgate.audit.sensitive_names import NAME_HINTS


class ProviderKey(NamedTuple):
    """One issuer's key: what it starts with, and what must follow."""

    prefix: str
    body: str


_WORDS = r"[A-Za-z0-9_\-]"
_ALNUM = r"[A-Za-z0-9]"
_PROVIDER_KEYS = (
    ProviderKey("A(?:KIA|SIA|BIA|CCA)", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ProviderKey("tgo_", rf"{_WORDS}{{20,}}+"),  # our own operator key
    ProviderKey("gh[pousr]_", rf"{_ALNUM}{{30,}}+"),
    ProviderKey("github_pat_", r"[A-Za-z0-9_]{22,}+"),
    ProviderKey("gl(?:pat|ptt|rt|dt|soat|cbt|ft|agent|imt|oas)-", rf"{_WORDS}{{20,}}+"),
    ProviderKey("xox[abceoprs]-", rf"{_WORDS}{{10,}}+"),
    ProviderKey("xapp-", rf"{_WORDS}{{20,}}+"),
    ProviderKey("sk-(?:proj|ant|svcacct|admin|or)-", rf"{_WORDS}{{16,}}+"),
    ProviderKey("sk-", rf"{_ALNUM}{{20,}}+"),
    ProviderKey("AIza", rf"{_WORDS}{{35,}}+"),
    ProviderKey(r"ya29\.", rf"{_WORDS}{{20,}}+"),
    ProviderKey("[sr]k_(?:live|test)_", rf"{_ALNUM}{{10,}}+"),
    ProviderKey("whsec_", r"[A-Za-z0-9+/]{20,}+"),
    ProviderKey("npm_", rf"{_ALNUM}{{30,}}+"),
    ProviderKey("pypi-", rf"{_WORDS}{{32,}}+"),
    ProviderKey(r"SG\.", rf"{_WORDS}{{16,}}+\.{_WORDS}{{16,}}+"),
    ProviderKey("SK", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    ProviderKey(r"hv[sbr]\.", rf"{_WORDS}{{20,}}+"),
    ProviderKey("hf_", rf"{_ALNUM}{{30,}}+"),
    ProviderKey("do[opr]_v1_", r"[a-f0-9]{32,}+"),
    ProviderKey("dckr_pat_", rf"{_WORDS}{{20,}}+"),
    ProviderKey("shp(?:at|ca|pa|ss)_", r"[A-Fa-f0-9]{32,}+"),
    ProviderKey("AGE-SECRET-KEY-1", r"[0-9A-Z]{40,}+"),
    # Telegram bots.
    ProviderKey("[0-9]{8,10}:", rf"{_WORDS}{{35}}(?![A-Za-z0-9_\-])"),
)
_PROVIDER_KEY = re.compile(rf"(?<!{_ALNUM})(?:" + "|".join(f"{key.prefix}{key.body}" for key in _PROVIDER_KEYS) + ")")
# Eight characters of any key tell it from prose (`npm_config`, `sk-learn`) without making the gate's automaton large.
_PROVIDER_HINT = "(?:" + "|".join(key.prefix for key in _PROVIDER_KEYS) + ")[A-Za-z0-9_+/-]{8}"

# The look-ahead settles that the run is a dotted triple before anything is searched in it; `%20eyJ…` has a prefix.
_JWT = re.compile(
    r"(?<![A-Za-z0-9_\-])(?=[A-Za-z0-9_\-]++\.[A-Za-z0-9_\-]*+\.)(?P<before>[A-Za-z0-9_\-]*?)"
    r"eyJ[A-Za-z0-9_\-]{5,}+(?:\.[A-Za-z0-9_\-]*+){2,4}+"
)
# A block cut off before its END is still a key.
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*+(?:-(?!----END )[^-]*+)*+"
    r"(?:-----END [A-Z0-9 ]{0,60}-----)?"
)
_WEBHOOK = re.compile(
    r"(?P<host>hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/)[\w/\-]{8,}+",
    re.ASCII,
)
_SIGNED_URL = re.compile(r"(?P<name>[?&]sig=)[A-Za-z0-9%+/=_\-]{16,}+")
# Segments between slashes do not overlap, so the search for the last "@" is linear over the whole text.
_URL_PASSWORD = re.compile(r"(?P<user>://[^\s/?#:@]*+:)[^\s/?#]+(?=@)")
_BEARER = re.compile(r"(?P<scheme>\bbearer[ ]++)(?P<token>[A-Za-z0-9._~+/\-]{6,}+=*+)", re.IGNORECASE | re.ASCII)
_BASIC = re.compile(r"(?P<scheme>\bbasic[ ]++)(?P<pair>[A-Za-z0-9+/]{4,}+={0,2})", re.IGNORECASE | re.ASCII)
# "bearer authentication", "Bearer token-based": words, not tokens.
_PROSE = re.compile(r"[A-Za-z]?[a-z]{0,19}(?:-[a-z]{1,19})*+[./]?")


def _mask_bearer(found: re.Match[str]) -> str:
    return found[0] if _PROSE.fullmatch(found["token"]) else found["scheme"] + MASK


def _mask_basic(found: re.Match[str]) -> str:
    return found["scheme"] + MASK if _is_user_and_password(found["pair"]) else found[0]


def _is_user_and_password(pair: str) -> bool:
    try:
        decoded = b64decode(pair.rstrip("=") + "=" * (-len(pair.rstrip("=")) % 4)).decode()
    except ValueError:
        return False
    return ":" in decoded and decoded.isprintable()


class SecretPattern(NamedTuple):
    """How one kind of secret is masked, and what a text must contain for it to be worth trying."""

    hint: str
    mask: Callable[[str], str]


def _replacing(pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]) -> Callable[[str], str]:
    return lambda text: pattern.sub(replacement, text)


# In this order: what is known whole (a JWT, a key block) goes before what only guesses at its extent.
SECRET_PATTERNS = (
    SecretPattern(r"eyJ[A-Za-z0-9_-]{5}[A-Za-z0-9_-]*\.", _replacing(_JWT, rf"\g<before>{MASK}")),
    SecretPattern("PRIVATE KEY", _replacing(_PRIVATE_KEY, MASK)),
    SecretPattern(r"hooks\.slack\.com/|/api/webhooks/", _replacing(_WEBHOOK, rf"\g<host>{MASK}")),
    SecretPattern("[?&]sig=", _replacing(_SIGNED_URL, rf"\g<name>{MASK}")),
    SecretPattern("://[^/]*@", _replacing(_URL_PASSWORD, rf"\g<user>{MASK}")),
    SecretPattern(_PROVIDER_HINT, _replacing(_PROVIDER_KEY, MASK)),
    SecretPattern("(?i:bearer) ", _replacing(_BEARER, _mask_bearer)),
    SecretPattern("(?i:basic) +[A-Za-z0-9+/]{4}", _replacing(_BASIC, _mask_basic)),
    SecretPattern("|".join(NAME_HINTS), mask_assignments),
    SecretPattern(PERSONAL_DATA_HINTS[0], mask_emails),
    SecretPattern(PERSONAL_DATA_HINTS[1], mask_social_security_numbers),
    SecretPattern(PERSONAL_DATA_HINTS[2], mask_cards),
    SecretPattern(PERSONAL_DATA_HINTS[3], mask_ibans),
)
