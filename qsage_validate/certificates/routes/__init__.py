"""The routes to a certificate."""
