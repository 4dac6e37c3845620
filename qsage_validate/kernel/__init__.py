"""What every "proved" rests on: small enough to be read as a whole.  See README.md here."""
