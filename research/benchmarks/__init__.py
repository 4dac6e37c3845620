"""Measurements, each beside the plain way in one run; the figures are ratios first."""
