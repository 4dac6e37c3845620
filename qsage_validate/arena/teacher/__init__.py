"""What a person can learn from a play: distances, threats, reasons, alternatives, drills."""
