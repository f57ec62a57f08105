"""Values with lone surrogates made fit for UTF-8. Only those who want something to be lost send them."""

from typing import Any, cast


def well_formed(value: Any) -> Any:
    """A JSON-like value in which every text can be encoded."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in cast(dict[Any, Any], value).items()}
    if isinstance(value, list):
        return [well_formed(item) for item in cast(list[Any], value)]
    return value
