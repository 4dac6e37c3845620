"""Certificates from and to files, in every dialect."""
