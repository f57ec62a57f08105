"""Failures that only HTTP knows. They have rows of their own here because no outcome of a tool is like them."""

from toolgate.errors import Category, InvalidParameters, Kind, ToolgateError


class UnsupportedMediaType(InvalidParameters):
    """The body is not announced as JSON."""

    http_status = 415
    template = "the body must be sent as application/json"


class HttpError(ToolgateError, code="bad_request"):
    """The request cannot be read as HTTP."""

    kind = Kind.INVALID_INPUT
    category = Category.CONTRACT
    taxonomy_code = "BadRequest"
    http_status = 400
    template = "this is not a valid HTTP request"


class HeadTooLarge(HttpError, code="headers_too_large"):
    """The request line and headers are larger than this server reads."""

    http_status = 431
    template = "the request line and headers are too large"


class RouteNotFound(HttpError, code="route_not_found"):
    """Nothing lives at this path."""

    kind = Kind.NOT_FOUND
    taxonomy_code = "RouteNotFound"
    http_status = 404
    template = "nothing lives at this path; GET /openapi.json lists what does"


class MethodNotAllowed(HttpError, code="method_not_allowed"):
    """The path exists, and does not take this method."""

    taxonomy_code = "MethodNotAllowed"
    http_status = 405
    template = "this path takes {allowed} only"


class NotReady(ToolgateError, code="not_ready"):
    """The process is up and cannot serve: its store does not answer."""

    taxonomy_code = "NotReady"
    http_status = 503
    retryable = True
    template = "the store does not answer"
