"""Certificates lifted through preprocessing."""
