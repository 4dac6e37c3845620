"""Dialogs and the screens of the tools."""
