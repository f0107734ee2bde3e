"""What a message means after what was said before it."""
