"""What the core can do without: each package here declares what it adds, as anybody's may."""
