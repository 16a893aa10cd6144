"""The worker's composition root, a module per domain: the only place that chooses implementations."""
