"""How a net is judged while it trains: gates, exams, duels with other nets."""
