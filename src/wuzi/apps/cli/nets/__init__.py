"""Commands about net files."""
