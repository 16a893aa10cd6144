"""The composition root of the app server: the only place that picks implementations."""
