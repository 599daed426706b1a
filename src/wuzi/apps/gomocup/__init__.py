"""``pbrain-wuzi``: wuzi as an engine for Gomocup managers."""
