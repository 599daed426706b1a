"""The faces of wuzi: command line, Gomocup engine, web page."""
