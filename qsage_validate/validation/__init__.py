"""The referee: certificate, formula and rules side by side."""
