"""Self-play games as they are stored, and the rows that are learned from."""
