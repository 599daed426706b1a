"""The tests of :mod:`hardening`, one module each; results are lines in a folder that later runs add to."""
