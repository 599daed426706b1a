"""What the documentation site needs besides MkDocs: see ``mkdocs.yml`` and ``hooks.py``."""
