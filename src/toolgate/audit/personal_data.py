"""Personal data inside text: email addresses, payment cards, US social security numbers, IBANs.

Shapes alone would hide half of all order numbers, so cards must pass Luhn and IBANs their country's length and mod 97.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from toolgate.audit.mask import MASK, replace_spans

# `git@host:` and `ssh://user@host` name machines; `left-pad@1.3.0` is a package.
_EMAIL = re.compile(
    r"(?<![\w.%+\-])(?<!://)(?!git@)[\w.%+\-]++@(?!v?[0-9]+\.[0-9]+\.[0-9])(?:[\w\-]{1,63}\.){1,8}[^\W\d_]{2,63}"
)
_SSN = re.compile(
    r"(?<![0-9A-Za-z])(?<![0-9]-)(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![0-9A-Za-z]|-[0-9])"
)
_CARD_START = re.compile(
    r"(?<![0-9A-Za-z])(?<![0-9]\.)(?:"
    # A UUID may hold a run of digits that passes Luhn: step over it.
    r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    # The prefixes card networks use; 1 and 20 would be epochs and compact dates.
    r"|(?P<card>(?=(?:2[2-7]|[3-6][0-9])[0-9]{2}(?:[ \-]?[0-9]){9})))"
)
_CARD_GROUPS = re.compile(r"[0-9]{4,19}(?:[ \-][0-9]{4,7}){0,4}(?:[ \-][0-9]{1,3})?")
_CARD_GROUP_END = re.compile(r"(?<=[0-9])(?![0-9A-Za-z])")
# Luhn doubles every second digit and adds up the digits of the product.
_DOUBLED = str.maketrans("0123456789", "0246813579")

_IBAN_COUNTRIES_BY_LENGTH = """
15 NO 16 BE 18 DK FI FO GL NL SD FK 19 MK SI 20 AT BA EE KZ LT LU XK MN 21 CH HR LI LV 22 BG BH CR DE GB GE IE ME RS VA
23 AE GI IL IQ OM SO TL 24 AD CZ ES MD PK RO SA SE SK TN VG 25 LY PT ST 26 IS TR 27 BI DJ FR GR IT MC MR SM
28 AL AZ BY CY DO GT HU LB NI PL SV 29 BR EG PS QA UA 30 JO KW MU YE 31 MT SC 32 LC 33 RU
"""

PERSONAL_DATA_HINTS = (
    r"@[^ @]+\.",
    r"[0-9]{3}-[0-9]{2}-[0-9]{4}",
    r"[2-6][0-9]{3}(?:[ -]?[0-9]){9}",
    r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11}",
)


def mask_emails(text: str) -> str:
    return _EMAIL.sub(MASK, text) if "@" in text else text


def mask_social_security_numbers(text: str) -> str:
    return _SSN.sub(MASK, text)


def mask_cards(text: str) -> str:
    return replace_spans(text, _card_spans(text))


def mask_ibans(text: str) -> str:
    return _IBAN.sub(_iban_or_mask, text)


def _card_spans(text: str) -> Iterator[tuple[int, int]]:
    for start in _CARD_START.finditer(text):
        if start["card"] is None:
            continue
        groups = _CARD_GROUPS.match(text, start.start())
        end = groups and _card_end(text, start=start.start(), limit=groups.end())
        if end:
            yield start.start(), end


def _card_end(text: str, *, start: int, limit: int) -> int | None:
    """Where the longest card number ends; what follows it (a CVV, a year) may look like one more group."""
    ends = [found.start() for found in _CARD_GROUP_END.finditer(text, start, limit + 1) if found.start() <= limit]
    return next((end for end in reversed(ends) if _is_card(text[start:end])), None)


def _is_card(candidate: str) -> bool:
    digits = candidate.replace(" ", "").replace("-", "")
    if not 13 <= len(digits) <= 19:
        return False
    luhn = digits[-1::-2] + digits[-2::-2].translate(_DOUBLED)
    return sum(map(int, luhn)) % 10 == 0


def _iban_pattern() -> re.Pattern[str]:
    countries: defaultdict[int, list[str]] = defaultdict(list)
    length = 0
    for word in _IBAN_COUNTRIES_BY_LENGTH.split():
        if word.isdigit():
            length = int(word)
        else:
            countries[length].append(word)
    # The length is part of the pattern, so that one IBAN cannot swallow the start of the next.
    bodies = (f"(?:{'|'.join(codes)})[0-9]{{2}}(?: ?[A-Z0-9]){{{size - 4}}}" for size, codes in countries.items())
    return re.compile(rf"(?<![A-Za-z0-9])(?=[A-Z]{{2}}[0-9]{{2}})(?:{'|'.join(bodies)})(?![A-Za-z0-9])")


_IBAN = _iban_pattern()


def _iban_or_mask(found: re.Match[str]) -> str:
    compact = found[0].replace(" ", "")
    as_number = "".join(str(int(char, 36)) for char in compact[4:] + compact[:4])
    return MASK if int(as_number) % 97 == 1 else found[0]
