#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the emitted sm_90 texts with nvcc, runs them on this machine's GPU and compares every byte.

    run_sm90.py FOLDER [--time] [--only CASE]

FOLDER is what prepare_sm90.sh wrote. Needs nvcc, numpy and PyTorch (memory, streams, graphs). Any NaN
equals any NaN of the same format, in caches too. Exit code: 0 all equal, 1 a difference.
"""
import argparse
import ctypes
import json
import pathlib
import re
import statistics
import subprocess
import sys

import numpy as np
import torch

CUDA = ctypes.CDLL("libcuda.so.1")
NUMPY = {"f32": np.float32, "bf16": np.uint16, "f16": np.float16, "i32": np.int32, "i64": np.int64,
         "f8e4m3fn": np.uint8, "f8e4m3fnuz": np.uint8, "f8e5m2": np.uint8, "f8e5m2fnuz": np.uint8,
         "e8m0": np.uint8, "f4e2m1": np.uint8}  # f4e2m1: two elements in one


def check(result, call):
    if result != 0:
        raise SystemExit(f"error: {call} failed with CUDA error {result}")


class Kernel:
    """One emitted text, compiled and loaded; launches by its own metadata."""

    def __init__(self, stem):
        self.meta = json.loads(stem.with_name(stem.name + ".json").read_text())
        text = stem.with_name(stem.name + ".hip")
        cubin = stem.with_name(stem.name + ".cubin")
        subprocess.run(["nvcc", "-x", "cu", "-arch=sm_90", "--fmad=false", "-std=c++20", "-O3", "-cubin",
                        "-Werror", "all-warnings", str(text), "-o", str(cubin)], check=True)
        self.resources = subprocess.run(["cuobjdump", "--dump-resource-usage", str(cubin)], check=True,
                                        capture_output=True, text=True).stdout
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        check(CUDA.cuModuleLoadData(ctypes.byref(module), cubin.read_bytes()), "cuModuleLoadData")
        check(CUDA.cuModuleGetFunction(ctypes.byref(function), module, self.meta["symbol"].encode()),
              "cuModuleGetFunction")
        self.function = function
        self.faults = torch.zeros(4 * len(self.meta.get("checks", [])), dtype=torch.int64, device="cuda")

    def counts(self, arrays):
        counts = {}
        for operand in self.meta["operands"]:
            for i, axis in enumerate(operand.get("axes", [])):
                if axis["extent"] is None and not (operand["table_axis"] and i == 0) and not operand.get(
                        "workspace"):
                    extent = arrays[operand["name"]].shape[i]
                    counts[axis["name"]] = min(counts.get(axis["name"], extent), extent)
        return counts

    def dtype(self, name):
        return next(o["dtype"] for o in self.meta["operands"] if o["name"] == name)

    def arguments(self, arrays, counts):
        values = []
        for argument in self.meta["arguments"]:
            kind, array = argument["kind"], arrays.get(argument.get("operand"))
            if kind == "pointer":
                values.append(ctypes.c_uint64(array.data_ptr()))
            elif kind == "stride":
                packed = 2 if self.dtype(argument["operand"]) == "f4e2m1" else 1
                values.append(ctypes.c_uint32(array.stride(argument["axis"]) * packed))
            elif kind == "extent":
                values.append(ctypes.c_uint32(array.shape[argument["axis"]]))
            elif kind == "pages":
                buffers = [o for o in self.meta["operands"] if cache_of(o) == argument_cache(self.meta, argument)]
                values.append(ctypes.c_uint64(min(arrays[o["name"]].shape[0] for o in buffers)))
            elif kind == "page_stride":
                values.append(ctypes.c_uint64(array.stride(0)))
            elif kind == "faults":
                values.append(ctypes.c_uint64(self.faults.data_ptr()))
            else:
                values.append(ctypes.c_uint32(counts[argument["axis_name"]]))
        grid = sum(-(-counts[s["axis"]] // s["rows_per_workgroup"]) * s["workgroups_per_step"]
                   for s in self.meta["launch"]["sections"])
        return values, grid

    def launch(self, arguments, grid):
        pointers = (ctypes.c_void_p * len(arguments))(
            *[ctypes.cast(ctypes.byref(a), ctypes.c_void_p) for a in arguments])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(CUDA.cuLaunchKernel(self.function, grid, 1, 1, self.meta["launch"]["workgroup"], 1, 1, 0,
                                  stream, pointers, None), "cuLaunchKernel")


class Program:
    """The kernels of one case in the order of their launch, and the memory that passes values between them."""

    def __init__(self, folder):
        metas = {path.name.removesuffix(".json"): json.loads(path.read_text()) for path in folder.glob("*.json")}
        whole = next((meta for meta in metas.values() if "program" in meta), None)
        self.kernels = [Kernel(folder / stem) for stem in (whole["kernels"] if whole else metas)]
        self.workspaces = whole["workspaces"] if whole else []
        self.operands = {}  # name: metadata of the kernel that knows most of it, and the operand there
        for kernel in self.kernels:
            for operand in kernel.meta["operands"]:
                known = self.operands.get(operand["name"])
                writes = operand["kind"] != "input" and not operand.get("pages_only")
                if not operand.get("workspace") and (known is None or writes):
                    self.operands[operand["name"]] = kernel.meta, operand

    def launches(self, arrays):
        """What to launch for `arrays`: pairs of arguments and grid, one a kernel."""
        counts = {}
        for kernel in self.kernels:
            for axis, count in kernel.counts(arrays).items():
                counts[axis] = min(counts.get(axis, count), count)
        arrays = dict(arrays)
        for workspace in self.workspaces:
            shape = [counts[a["name"]] if a["extent"] is None else a["extent"] for a in workspace["axes"]]
            bits = np.full([*shape, np.dtype(NUMPY[workspace["dtype"]]).itemsize], 0xA5, np.uint8)
            arrays[workspace["name"]] = on_device(bits.view(NUMPY[workspace["dtype"]])[..., 0])
        self.held = arrays  # workspaces live as long as their addresses
        return [(kernel, *kernel.arguments(arrays, counts)) for kernel in self.kernels]

    @staticmethod
    def launch(launches):
        for kernel, arguments, grid in launches:
            if grid:
                kernel.launch(arguments, grid)


def cache_of(operand):
    """The cache that an operand is a buffer of; a cache of one buffer is an operand of its name."""
    return operand.get("cache", operand["name"]) if operand["kind"] == "cache" else None


def argument_cache(meta, argument):
    return next(cache_of(o) for o in meta["operands"] if o["name"] == argument["operand"])


def on_device(array):
    """The array's bits on the device, with the shape of its elements."""
    signed = {1: np.uint8, 2: np.int16, 4: np.int32, 8: np.int64}[array.dtype.itemsize]
    return torch.from_numpy(np.ascontiguousarray(array).view(signed)).cuda()


def nan_mask(bits, dtype):
    if dtype == "f32":
        return np.isnan(bits.view(np.float32))
    if dtype == "f8e4m3fn":
        return (bits & 0x7F) == 0x7F
    if dtype in ("f8e4m3fnuz", "f8e5m2fnuz"):
        return bits == 0x80
    if dtype == "f8e5m2":
        return (bits & 0x7F) > 0x7C
    if dtype in ("bf16", "f16"):
        return (bits & 0x7FFF) > (0x7F80 if dtype == "bf16" else 0x7C00)
    return np.zeros(bits.shape, bool)


def page_nans(layout, pages, buffer):
    """Which bytes of a buffer's pages belong to NaN elements, by the layout's own address maps."""
    mask = np.zeros(pages.shape, bool)
    for field in layout["fields"]:
        if field["buffer"] != buffer:
            continue
        dims, expression = re.fullmatch(r"\((.*)\) -> \((.*)\)", field["map"]).groups()
        code = compile(expression.replace("floordiv", "//").replace("mod", "%"), "map", "eval")
        names = [name.strip() for name in dims.split(",")]
        size = np.dtype(NUMPY[field["dtype"]]).itemsize
        for index in np.ndindex(layout["page_size"], *field["extents"]):
            at = eval(code, dict(zip(names, index)))
            element = np.ascontiguousarray(pages[:, at:at + size]).view(NUMPY[field["dtype"]])
            mask[:, at:at + size] |= nan_mask(element, field["dtype"])
    return mask


def differing(meta, operand, found, expected):
    if operand["kind"] == "cache":
        layout = meta["layouts"][operand["layout"]]
        buffer = operand.get("buffer", 0)
        both = page_nans(layout, found, buffer) & page_nans(layout, expected, buffer)
    else:
        both = nan_mask(found, operand["dtype"]) & nan_mask(expected, operand["dtype"])
    raw = found.view(np.uint8).reshape(found.shape + (-1,)) != expected.view(np.uint8).reshape(
        expected.shape + (-1,))
    return int((raw.any(-1) & ~both).sum())


def run_case(folder):
    program = Program(folder)
    operands = np.load(folder / "operands.npz")
    expected = dict(operands) if not (folder / "expected.npz").exists() else np.load(folder / "expected.npz")
    prefix = "expected_" if "expected_q8" in operands.files else ""
    arrays, host = {}, {}
    for name, (meta, operand) in program.operands.items():
        if operand["kind"] == "output" and name not in operands.files:
            like = expected[prefix + name]
            host[name] = np.full(like.shape, 0xA5, np.uint8) if like.dtype == np.uint8 else np.full(
                like.shape, -777, like.dtype)
        else:
            host[name] = operands[name]
        arrays[name] = on_device(host[name])
    program.launch(program.launches(arrays))
    torch.cuda.synchronize()
    wrong, compared = 0, 0
    for name, (meta, operand) in program.operands.items():
        found = arrays[name].cpu().numpy().view(host[name].dtype)
        want = operands[name] if operand["kind"] == "input" else expected[prefix + name]
        wrong += differing(meta, operand, found, np.ascontiguousarray(want))
        compared += found.size
    wrong += sum(int(kernel.faults.sum() != 0) for kernel in program.kernels)  # all indices are right
    registers = ", ".join(re.search(r"REG:(\d+)", kernel.resources).group(1) for kernel in program.kernels)
    print(f"{folder.name:32} {'equal' if wrong == 0 else f'{wrong} DIFFER'}  ({compared} elements, {registers} registers)")
    return wrong


def median_microseconds(work, launches=20, repeats=60):
    work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(launches):
            work()
    times = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1000 / launches)
    return statistics.median(times)


def time_case(folder):
    """The kernels against a copy that moves as many bytes, both as graph replays in the same run."""
    program = Program(folder)
    if not any(kernel.meta["layouts"] for kernel in program.kernels):  # the formats: only their bytes matter
        return
    operands = np.load(folder / "operands.npz")
    generator = torch.Generator(device="cuda").manual_seed(1)
    for tokens in (1, 8, 64, 256, 1024, 4096, 16384):
        arrays, moved = {}, 0
        for name, (meta, operand) in program.operands.items():
            if operand["kind"] == "cache":
                layout = meta["layouts"][operand["layout"]]
                pages = tokens // layout["page_size"] + 2
                sizes = layout["page_bytes"]
                size = sizes[operand["buffer"]] if isinstance(sizes, list) else sizes
                arrays[name] = torch.zeros(pages, size, dtype=torch.uint8, device="cuda")
                moved += tokens * size // layout["page_size"]
                continue
            dtype = {"f32": torch.float32, "bf16": torch.bfloat16, "i64": torch.int64}.get(
                operand["dtype"], torch.uint8)
            shape = [tokens if a["extent"] is None else a["extent"] for a in operand["axes"]]
            if operand["table_axis"]:
                arrays[name] = on_device(operands[name])
                moved += tokens * shape[-1] * 4
                continue
            if name == "slot":
                arrays[name] = torch.randperm(tokens, generator=generator, device="cuda")
            elif name == "pos":
                arrays[name] = torch.randint(0, operands["angle"].shape[0], (tokens,), generator=generator,
                                             device="cuda")
            else:
                arrays[name] = torch.randn(shape, generator=generator, device="cuda").to(dtype)
            if operand["axes"][0]["extent"] is None:
                moved += arrays[name].numel() * arrays[name].element_size()
        launches = program.launches(arrays)
        source = torch.empty(max(moved // 2, 16), dtype=torch.uint8, device="cuda")
        target = torch.empty_like(source)
        ours = median_microseconds(lambda: program.launch(launches))
        copy = median_microseconds(lambda: target.copy_(source))
        print(f"{folder.name:14} {tokens:6} tokens: {ours:8.2f} us, copy of {moved} bytes {copy:8.2f} us, "
              f"ratio {ours / copy:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--time", action="store_true", help="time the model cases after comparing")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    torch.cuda.init()
    torch.zeros(1, device="cuda")  # makes the context current for the driver calls
    print(torch.cuda.get_device_name())
    folders = [f for f in sorted(options.folder.iterdir()) if f.is_dir() and options.only in f.name]
    wrong = sum(run_case(folder) for folder in folders)
    if options.time:
        for folder in folders:
            if (folder / "expected.npz").exists():
                time_case(folder)
    sys.exit(1 if wrong or not folders else 0)


if __name__ == "__main__":
    main()
