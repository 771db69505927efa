"""Card shoes: one that only speaks, and one that answers, keeps its draws and sends them again."""
