"""Commands for playing: in the terminal, the browser and the window."""
