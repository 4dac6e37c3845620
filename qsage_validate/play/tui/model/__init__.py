"""What the interface shows, without any widget."""
