"""One outcome, four views (and a problem document for HTTP): pure functions that never raise and decide nothing."""
