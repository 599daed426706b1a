"""What the source documents claim, judged from the figures of studies."""
