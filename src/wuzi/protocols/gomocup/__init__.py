"""The Gomocup protocol (Piskvork): parsing, answers, limits and the state of a session."""
