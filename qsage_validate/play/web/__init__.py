"""The board in a browser: textual-serve's page, with a terminal behind each tab."""
