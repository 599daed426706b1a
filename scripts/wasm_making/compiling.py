"""Compiled kernels as one WebAssembly module: the same intermediate code, for another processor.

Numba's intermediate code of each kernel is taken as it is, given the data layout of 32-bit WebAssembly,
linked into one module, and compiled by the llvmlite that Numba uses. No kernel is changed for it. Functions
that only this module calls lose the arguments that nobody reads: every Numba array is seven of them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from wuzi.core.jit import load_kernels

TRIPLE = "wasm32-unknown-unknown"
LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"
STACK = 1 << 20
MOST_MEMORY = 1 << 30
MATH = ("exp", "expf", "log", "logf", "log2", "pow", "tanh", "tanhf")
"""Functions that the host gives, where kernels use them."""

WRAPPERS = ("_ZN7cpython", "cfunc.", "NRT_")
"""Functions by which Python calls a kernel and counts references, which nothing needs outside Python."""

STUBS = "".join(
    f"\ndefine internal void @NRT_{name}ref(ptr %0) {{\n ret void\n}}\n" for name in ("inc", "dec")
)


def symbol_of(kernel: Any) -> str:
    """The name of a kernel's function in its intermediate code."""
    return str(kernel.overloads[kernel.nopython_signatures[0].args].fndesc.llvm_func_name)


def portable(kernel: Any) -> str:
    """A kernel's intermediate code, with its callees, without what belongs to this machine or to Python.

    Raises:
        RuntimeError: the kernel was loaded from a cache, which keeps machine code only.
    """
    text = kernel.inspect_llvm(kernel.nopython_signatures[0].args)
    if "define" not in text:
        raise RuntimeError(f"kernel {kernel.__name__} came from a cache; compile it into an empty one")
    lines, skip = [], False
    for line in text.splitlines():
        if line.startswith("define"):
            found = re.search(r'@"?([^"( ]+)"?\(', line)
            skip = found is not None and found[1].startswith(WRAPPERS)
        if not skip:
            lines.append(line)
        skip = skip and line != "}"
    text = "\n".join(lines) + STUBS
    text = re.sub(r"^target datalayout.*$", f'target datalayout = "{LAYOUT}"', text, flags=re.M)
    text = re.sub(r"^target triple.*$", f'target triple = "{TRIPLE}"', text, flags=re.M)
    return re.sub(r'"target-(cpu|features)"="[^"]*"', "", text)


def merged(kernels: Mapping[str, Any]) -> str:
    """All kernels in one intermediate code, in which only their own functions can be seen, by these names."""
    whole = llvm.parse_assembly(portable(next(iter(kernels.values()))))
    for kernel in list(kernels.values())[1:]:
        whole.link_in(llvm.parse_assembly(portable(kernel)))
    names = {symbol_of(kernel): name for name, kernel in kernels.items()}
    for function in whole.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in names else "internal"
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    text = str(whole)
    for symbol, name in names.items():
        text = re.sub(rf'@"?{re.escape(symbol)}"?(?=[(\s,)])', f"@{name}", text)
    return text


def machine() -> Any:
    """The compiler for WebAssembly."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    # WebAssembly has no addressing modes for which one counter per array would pay; it costs registers.
    llvm.set_option("wuzi", "-disable-lsr")
    return llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)


def compiled(kernels: Mapping[str, Any]) -> bytes:
    """An object file of all kernels."""
    target = machine()
    load_kernels(every=True)
    module = llvm.parse_assembly(merged(kernels))
    module.verify()
    options = llvm.create_pipeline_tuning_options(2)
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))


def linked(objects: bytes, names: list[str]) -> bytes:
    """The module: exports the named kernels, its memory and where the free part of that begins.

    Raises:
        RuntimeError: the linker failed; what it said.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernels.o").write_bytes(objects)
        (Path(folder) / "math.txt").write_text("\n".join(MATH), "utf-8")
        command = [sys.executable, "-m", "ziglang", "wasm-ld", "kernels.o", "-o", "kernels.wasm"]
        command += ["--no-entry", "--strip-all", "-O2", "--stack-first", "-z", f"stack-size={STACK}"]
        command += ["--allow-undefined-file=math.txt"]
        command += [f"--max-memory={MOST_MEMORY}", "--export=__heap_base"]
        command += [f"--export={name}" for name in names]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"wasm-ld failed: {done.stderr.strip()}")
        return (Path(folder) / "kernels.wasm").read_bytes()
