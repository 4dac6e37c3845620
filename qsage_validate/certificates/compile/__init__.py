"""Certificates compiled from winning plans."""
