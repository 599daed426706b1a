"""The web face: the API, the WebSockets and the built page, served by one process."""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
