"""What the tables say."""
