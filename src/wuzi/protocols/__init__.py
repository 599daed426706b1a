"""Line protocols as pure functions: parse and format, no input or output."""
