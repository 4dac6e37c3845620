"""The trusted base of every "proved": small enough to be read as a whole.  See README.md here."""
