"""The committed WebAssembly module under wasmtime, with kernels that are called like the native ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import build_wasm
import numpy as np
import wasmtime
from wasm_making.exports import KERNELS
from wasm_making.typescript import parameters, returned

CONSTANT = 1 << 20
"""What has so many bytes is copied once, and then belongs to the module: nets, tables of searches."""


class WasmModule:
    """An instance of the module. Memory is handed out from its free part and never given back."""

    def __init__(self) -> None:
        self.store = wasmtime.Store()
        module = wasmtime.Module(self.store.engine, build_wasm.MODULE.read_bytes())
        assert not module.imports, [one.name for one in module.imports]
        self._exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.memory: Any = self._exports["memory"]
        self._top = int(self._exports["__heap_base"].value(self.store)) + 64
        self._constants: dict[int, tuple[Any, int]] = {}

    def function(self, name: str) -> Any:
        """An exported function."""
        return self._exports[name]

    def place(self, size: int) -> int:
        """The address of so many free bytes."""
        place = (self._top + 63) // 64 * 64
        self._top = place + size
        missing = self._top - self.memory.data_len(self.store)
        if missing > 0:
            self.memory.grow(self.store, -(-missing // 65536))
        return place

    def constant(self, record: Any) -> int:
        """The address of what is copied once."""
        if id(record) not in self._constants:
            place = self.place(record.nbytes)
            self.memory.write(self.store, record.tobytes(), place)
            self._constants[id(record)] = (record, place)
        return self._constants[id(record)][1]


class WasmKernel:
    """A kernel of the module: arguments are copied in, and what it changed is copied out."""

    def __init__(self, module: WasmModule, name: str) -> None:
        self.name, self.calls = name, 0
        self._module = module
        self._function = module.function(name)
        self._parameters = parameters(KERNELS[name])
        self._returns = returned(KERNELS[name])
        self._slots = module.place(64)
        self._places: dict[int, tuple[int, int]] = {}

    def __call__(self, *args: Any) -> Any:
        """What the native kernel would return."""
        module, store = self._module, self._module.store
        self.calls += 1
        flat: list[Any] = [self._slots, self._slots + 32]
        written: list[tuple[Any, int]] = []
        values = list(_members(args))
        assert len(values) == len(self._parameters), (self.name, len(values))
        for number, (value, parameter) in enumerate(zip(values, self._parameters, strict=True)):
            if not isinstance(value, np.void | np.ndarray):
                flat.append(_signed(int(value)))
                continue
            if value.nbytes >= CONSTANT:
                place = module.constant(value)
            else:
                place = self._place(number, value.nbytes)
                module.memory.write(store, value.tobytes(), place)
                written.append((value, place))
            if "dims" in parameter:
                flat += [0, 0, value.size, value.itemsize, place, *value.shape, *value.strides]
            else:
                flat.append(place)
        code = self._function(store, *flat)
        assert code == 0, (self.name, code)
        for value, place in written:
            new = np.frombuffer(bytes(module.memory.read(store, place, place + value.nbytes)), value.dtype)
            if isinstance(value, np.void):
                for field in value.dtype.names or ():
                    value[field] = new[0][field]
            elif value.flags.writeable:
                value[...] = new.reshape(value.shape)
        if self._returns == "void":
            return None
        answer = bytes(module.memory.read(store, self._slots, self._slots + 8))
        return np.frombuffer(answer, self._returns)[0].item()

    def _place(self, number: int, size: int) -> int:
        place, room = self._places.get(number, (0, -1))
        if size > room:
            self._places[number] = place, room = self._module.place(size), size
        return place


def _members(args: tuple[Any, ...]) -> Iterator[Any]:
    for value in args:
        if isinstance(value, tuple):
            yield from _members(value)
        else:
            yield value


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 > 0 else number
