"""Secrets given by name inside free text: `password=hunter2`, `"api_key": "…"`, `Cookie: a=b`, `--token abc`."""

import re
from collections.abc import Iterator

from toolgate.audit.mask import MASK, replace_spans
from toolgate.audit.sensitive_names import is_sensitive_name

# A run of name characters is tried once, at its start, and never given back: linear on any input.
_HEAD = re.compile(
    r"""(?<![A-Za-z0-9_.\-])(?<!//)
    (?P<flag>--)?+
    (?P<name>[A-Za-z0-9_.\-]++(?:[ ](?:[Kk]ey|KEY|[Nn]umber|[Cc]ode))?+)
    (?:
        [\\"'\]]{0,8}+ [ \t]{0,8}+ (?:=>|:=|={1,3}|:(?!:)) [ \t]{0,8}+
      | (?(flag)[ ]++(?=[^\s\-])|(?!))
    )""",
    re.VERBOSE,
)
_VALUE = re.compile(
    r"""
      (?P<scheme>(?:
          (?:bearer|basic|digest|negotiate|apikey|oauth|aws4-hmac-sha256)[ ]++
        | token[ ]++(?=\S{0,15}[0-9]|\S{16})  # "Token has expired" is an error message
      )[^\r\n"'\\]++)
    | "(?P<double>(?:[^"\\]|\\.)*+)
    | '(?P<single>(?:[^'\\]|\\.)*+)
    | \\++["'](?P<escaped>(?:[^\\]|\\++(?!["']))*+)
    | (?P<bare>(?:[^\s,;&"'<>|\\]|\\++(?!["']))++)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL | re.ASCII,
)
_COOKIE_VALUE = re.compile(r"""(?P<bare>[^\s"'\\][^\r\n"'\\]*+)""")

# Only words that are no secret: "invalid token: expired", `def login(password: str)`, "use --password to log in".
_PROSE = frozenset(
    """
    a absent an and any are as bad be bool boolean bytes can cannot could denied does empty error expected expired
    failed false for forbidden found has have if in incorrect int integer invalid is it its json malformed may
    mismatch missing must nil no none not null number object of on only optional or please rejected required revoked
    secretstr should signature str string that the this to token too true unable unauthorized undefined unknown
    unsupported use used value was when which will with wrong you your
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


def mask_assignments(text: str) -> str:
    return replace_spans(text, _secret_spans(text))


def _secret_spans(text: str) -> Iterator[tuple[int, int]]:
    done = 0
    for head in _HEAD.finditer(text):
        if head.start() < done or _is_urn_part(text, head) or not is_sensitive_name(head["name"]):
            continue
        value = _value_after(text, head)
        if value and not _is_harmless(value):
            done = value.end(value.lastgroup or 0)
            yield value.start(value.lastgroup or 0), done


def _is_urn_part(text: str, head: re.Match[str]) -> bool:
    """`arn:aws:secretsmanager:eu-west-1:1234:secret:billing` names a secret and gives none away."""
    return head.start() > 0 and text[head.start() - 1] == ":" and text[head.end() - 1] == ":"


def _value_after(text: str, head: re.Match[str]) -> re.Match[str] | None:
    # A cookie header is one value up to the end of its line, semicolons included.
    header = _COOKIE_VALUE.match(text, head.end()) if "cookie" in head["name"].lower() else None
    return header or _VALUE.match(text, head.end())


def _is_harmless(value: re.Match[str]) -> bool:
    content = value[value.lastgroup or 0]
    if value.lastgroup != "bare":
        return content in ("", MASK)
    # Brackets alone open a structure whose own fields are looked at one by one.
    word = content.strip("()[]{}.:!?*")
    return content == MASK or not word or word.lower() in _PROSE
