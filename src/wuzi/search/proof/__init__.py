"""Proofs that Black wins from a position, whatever White plays."""
