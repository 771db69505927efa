"""Chip readers on one bus: asked in turn, compared over several looks, missed when they are silent."""
