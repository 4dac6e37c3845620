"""The contents that the interface shows, without any widget."""
