"""The body that all HTTP servers get: an invocation of about 1.2 kB, with an order as its parameters."""

import json
from typing import Any

_LINES: list[dict[str, Any]] = [
    {
        "article": f"A-{1000 + number}",
        "description": f"Steel shelf, {number + 2} boards, grey",
        "quantity": number + 1,
        "price_cents": 4990 + 250 * number,
        "in_stock": number % 2 == 0,
    }
    for number in range(9)
]
_NOTE = "Leave it with the porter if nobody opens; the lift is out of order until Thursday."
ORDER: dict[str, Any] = {"customer": "C-20417", "lines": _LINES, "note": _NOTE}
BODY = json.dumps({"tool_id": "echo_order", "parameters": ORDER}, separators=(",", ":"))
