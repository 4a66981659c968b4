"""What is kept by content, and the care of what is kept."""
