"""Learning from a teacher: games of a player with labels (``wuzi gen-data``), and nets that follow them."""
