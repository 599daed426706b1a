"""What computes a net without torch: NumPy and ONNX Runtime."""
