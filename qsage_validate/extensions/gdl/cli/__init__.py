"""What commands tell of games in GDL."""
