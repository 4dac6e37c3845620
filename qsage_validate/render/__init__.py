"""Boards, plays and charts as text, SVG and parts of pages."""
