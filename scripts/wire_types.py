"""Writes frontend/src/wire/generated.ts: the page's types and addresses, from the server's OpenAPI document.

Models become interfaces; the names of answers lose their ``Out``. Operations are called ``tag.name``, sockets
by their first word, and the ``*_id`` of a path is just ``id``. ``--check`` writes nothing and fails where the
file is not the one that it would write.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from wuzi.apps.web import (
    create_app,
    schemas,
    schemas_analysis,
    schemas_jobs,
    schemas_sockets,
    schemas_system,
)

FILE = Path(__file__).resolve().parent.parent / "frontend" / "src" / "wire" / "generated.ts"
API = "/api/v1"
MODULES = (schemas, schemas_system, schemas_analysis, schemas_jobs, schemas_sockets)
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

Schema = Mapping[str, Any]


def generate() -> str:
    """The text of the file."""
    return _File(create_app().openapi()).text()


class _File:
    def __init__(self, document: Schema) -> None:
        self._paths = document["paths"]
        self._sockets = document["x-sockets"]
        self._models: Schema = document["components"]["schemas"]
        self._names: dict[str, str] = {name: name.removesuffix("Out") for name in self._models}
        if len(set(self._names.values())) < len(self._names):
            raise ValueError("two models have one name without Out")
        self._choices = dict(_named_choices())

    def text(self) -> str:
        parts = [
            "/* Made by scripts/wire_types.py from the server's models. Do not edit. */\n",
            *(f"export type {name} = {_union(values)}\n" for values, name in self._choices.items()),
            *(self._model(name) for name in self._used()),
            *self._operations(),
            *self._topics(),
        ]
        return "\n".join(parts)

    def _used(self) -> list[str]:
        """The models that an operation or a socket of the page's API speaks of, at any depth."""
        found: set[str] = set()
        todo = _refs([self._sockets, *(ops for path, ops in self._paths.items() if path.startswith(API))])
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += _refs(self._models[name])
        return sorted(found, key=lambda name: self._names[name])

    def _model(self, name: str) -> str:
        model = self._models[name]
        lines = [f"/** {_sentence(model['description'])} */"] if "description" in model else []
        lines.append(f"export interface {self._names[name]} {{")
        lines += self._fields(model.get("properties", {}), model.get("required", ()))
        return "\n".join([*lines, "}\n"])

    def _fields(self, properties: Schema, required: list[str] | tuple[str, ...]) -> Iterator[str]:
        for name, field in properties.items():
            if "description" in field:
                yield f"  /** {_sentence(field['description'])} */"
            yield f"  {_key(name)}{'' if name in required else '?'}: {self.type(field)}"

    def type(self, schema: Schema) -> str:
        """A JSON schema as a TypeScript type."""
        if "$ref" in schema:
            return self._names[str(schema["$ref"]).rpartition("/")[2]]
        if "const" in schema:
            return f"'{schema['const']}'" if isinstance(schema["const"], str) else str(schema["const"])
        if "enum" in schema:
            values = tuple(schema["enum"])
            return self._choices.get(values, _union(values))
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(map(self.type, schema["anyOf"])))
        if schema.get("type") == "array":
            item, least = self.type(schema["items"]), schema.get("minItems")
            if least is not None and least == schema.get("maxItems"):
                return f"[{', '.join([item] * least)}]"
            return f"({item})[]" if "|" in item else f"{item}[]"
        if schema.get("type") == "object":
            values = schema.get("additionalProperties", True)
            keys = self.type(schema.get("propertyNames", {"type": "string"}))
            return f"Record<{keys}, {'unknown' if values is True else self.type(values)}>"
        return PLAIN.get(schema.get("type", ""), "unknown")

    def _operations(self) -> Iterator[str]:
        calls, routes = [], []
        for path in (path for path in self._paths if path.startswith(API)):
            for method, operation in self._paths[path].items():
                name = operation["operationId"].replace("_", ".", 1)
                address = _plain_ids(path.removeprefix(API))
                calls.append(f"  '{name}': {{ {self._asks(operation)}; answer: {self._answer(operation)} }}")
                query = "".join(f"&{field['name']}" for field in _of(operation, "query"))
                routes.append(f"  '{name}': '{method.upper()} {address}{query.replace('&', '?', 1)}',")
        yield "/** What each operation takes and answers. */\nexport interface Operations {"
        yield from calls
        yield "}\n\n/** Method, path and query of each operation. */\nexport const ROUTES = {"
        yield from routes
        yield "} as const satisfies Record<keyof Operations, string>\n"

    def _asks(self, operation: Schema) -> str:
        fields = []
        for field in (field for place in ("path", "query", "header") for field in _of(operation, place)):
            name = "token" if field["in"] == "header" else field["name"].rpartition("_")[2]
            optional = "" if field.get("required") or name == "token" else "?"
            fields.append(f"{name}{optional}: {self.type(field['schema']).removesuffix(' | null')}")
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            schema = content["application/json"]["schema"]
            needed = operation["requestBody"].get("required", False)
            fields.append(f"body{'' if needed else '?'}: {self.type(schema).removesuffix(' | null')}")
        elif content:
            fields.append("body: string | File")
        return f"asks: {{ {'; '.join(fields)} }}" if fields else "asks: object"

    def _answer(self, operation: Schema) -> str:
        """The type of the first good answer in JSON; ``Blob`` for files, ``void`` for none."""
        responses = operation["responses"].items()
        content = next(answer for code, answer in responses if code < "300").get("content", {})
        if list(content) != ["application/json"]:
            return "Blob" if content else "void"
        schema = content["application/json"]["schema"]
        # Which of several it is depends on the query; without one it is the first.
        return self.type(schema["anyOf"][0] if "anyOf" in schema else schema)

    def _topics(self) -> Iterator[str]:
        yield "/** Sockets: what one opens them with, what the server says on them, and what it hears. */"
        yield "export interface Topics {"
        for path, socket in self._sockets.items():
            asks = [f"{field}: string" for field in re.findall(r"{(\w+)}", _plain_ids(path))]
            asks += [f"{field}: {self.type(schema)}" for field, schema in socket["query"].items()]
            taken = f"{{ {'; '.join(asks)} }}" if asks else "object"
            says, hears = self.type(socket["says"]), self.type(socket["hears"])
            yield f"  {_topic(path)}: {{ asks: {taken}; says: {says}; hears: {hears} }}"
        yield "}\n\nexport const SOCKETS = {"
        for path, socket in self._sockets.items():
            query = "&".join(socket["query"])
            yield f"  {_topic(path)}: '{_plain_ids(path)}{'?' + query if query else ''}',"
        yield "} as const satisfies Record<keyof Topics, string>\n"


def _named_choices() -> Iterator[tuple[tuple[Any, ...], str]]:
    """The named literals of the schema modules, by their values."""
    seen: set[tuple[Any, ...]] = set()
    for module in MODULES:
        for name, value in vars(module).items():
            values = get_args(value)
            if name[0].isupper() and str(value).startswith("typing.Literal[") and values not in seen:
                seen.add(values)
                yield values, name


def _refs(value: Any) -> list[str]:
    """The models that a part of the document names."""
    return re.findall(r'"\$ref": "[^"]*/(\w+)"', json.dumps(value))


def _of(operation: Schema, place: str) -> list[Schema]:
    return [field for field in operation.get("parameters", ()) if field["in"] == place]


def _plain_ids(path: str) -> str:
    return re.sub(r"{\w+_id}", "{id}", path)


def _topic(path: str) -> str:
    """``games`` for ``/ws/v1/games/{game_id}``."""
    return path.split("/")[3]


def _union(values: tuple[Any, ...]) -> str:
    return " | ".join(f"'{value}'" if isinstance(value, str) else str(value) for value in values)


def _key(name: str) -> str:
    return name if name.isidentifier() else f"'{name}'"


def _sentence(text: str) -> str:
    return " ".join(text.partition("\n\nAttributes:")[0].replace("``", "`").replace("*/", "").split())


def main(arguments: list[str]) -> int:
    """Write the file, or say whether it is the right one."""
    text = generate()
    if "--check" in arguments:
        return 0 if FILE.read_text(encoding="utf-8") == text else 1
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
