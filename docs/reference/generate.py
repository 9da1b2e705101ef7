#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the pages of this folder from the build: the command's tables, the programs, the errors.

    generate.py BRAID            writes them
    generate.py BRAID --check    compares them with what is there; 1 where one is stale
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STRING = r'"((?:[^"\\]|\\.)*)"'
STRINGS = rf"((?:\s*{STRING})+)"  # neighbouring literals are one


def listing(command, what):
    done = subprocess.run([command, what, "--json"], check=True, capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)


def cell(text):
    return text.replace("|", "\\|")


def code(text):
    return f"`{cell(text)}`"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def parameters(op):
    """Rows of the parameters of an op; a run of numbered ones with one meaning is one row."""
    runs = []
    for param in op["parameters"]:
        stem = re.sub(r"\d+$", "", param["name"])
        if runs and stem != param["name"] and runs[-1][0] == (stem, param["doc"]):
            runs[-1][1].append(param)
        else:
            runs.append(((stem, param["doc"]), [param]))
    for (_, doc), run in runs:
        needed = sum(param["required"] for param in run)
        name = code(run[0]["name"]) + (f" .. {code(run[-1]['name'])}" if len(run) > 1 else "")
        count = {0: "no", len(run): "yes"}.get(needed, f"the first {needed}")
        yield [code(op["op"]), name, count, cell(doc)]


def ops_page(command):
    ops = listing(command, "ops")
    rows = [row for op in ops if any(p["doc"] != "a value or a constant" for p in op["parameters"])
            for row in parameters(op)]
    return ("# Ops\n\nWhat they mean, to the bit: [semantics.md](../semantics.md).\n\n"
            + table(["call", "what"], [[code(op["signature"]), cell(op["summary"])] for op in ops])
            + "\n## Parameters\n\nOps that are not here take values and constants only.\n\n"
            + table(["op", "parameter", "needed", "what"], rows))


def layouts_page(command):
    rows = [[code(entry["layout"]), code(entry["parameters"]), cell(entry["summary"])]
            for entry in listing(command, "layouts")]
    return ("# Page layouts\n\nThose of the library, [library.braid](../../codegen/layouts/library.braid), which holds "
            "their address maps.\n`braid layouts 'NAME(...)'` shows the bytes of a page; a program may define "
            "[more](../language.md).\n\n" + table(["layout", "parameters", "what"], rows))


def targets_page(command):
    rows = [[code(t["target"]), t["products"], str(t["wave_size"]), f"{code(t['fp8'])}, largest value {t['fp8_max']:g}",
             str(t["lds_bytes"]), "code objects" if t["code_object"] else "text only"]
            for t in listing(command, "targets")]
    return "# Targets\n\n" + table(["target", "products", "wave", "`fp8` is", "LDS, bytes", "Braid makes"], rows)


def comment(text):
    return " ".join(re.sub(r"^\s*//\s?", "", line).strip() for line in text.strip().split("\n") if line.strip())


def kernels(path):
    """(name, comment, parameters, presets) of each kernel; presets are (names, settings, source).

    The source of a preset is the comment in front of it, or that of the preset before.
    """
    text = path.read_text()
    for head in re.finditer(r"((?:^//[^\n]*\n)*)^kernel (\w+)\((.*?)\) \{\n(.*?)^\}", text, re.M | re.S):
        presets, source = [], ""
        for found in re.finditer(r"((?:^  //[^\n]*\n)*)^  preset ([\w, ]+?)\s*\{(.*?)\}", head.group(4), re.M | re.S):
            source = comment(found.group(1)) or source
            if not source:
                sys.exit(f"{path}: no comment tells where preset {found.group(2)} of {head.group(2)} comes from")
            presets.append((found.group(2).split(", "), " ".join(found.group(3).split()), source))
        yield head.group(2), comment(head.group(1)), " ".join(head.group(3).split()), presets


def presets_page(_):
    page = ["# Presets\n\nOf the programs of [examples](../../examples/README.md). Presets of one row are equal; "
            "what a preset does not set\nhas the default of the parameter.\n"]
    for path in sorted((ROOT / "examples").glob("*.braid")):
        found = list(kernels(path))
        text = path.read_text()
        for word, count in (("kernel", len(found)), ("preset", sum(len(presets) for *_, presets in found))):
            if len(re.findall(rf"^\s*{word} ", text, re.M)) != count:
                sys.exit(f"{path}: has a {word} of a form that generate.py does not read")
        for name, about, params, presets in found:
            rows = [[", ".join(map(code, names)), code(settings), cell(source)]
                    for names, settings, source in presets]
            page.append(f"## {name}\n\n[{path.name}](../../examples/{path.name}): {about}\n\n"
                        f"Parameters: {code(params)}.\n\n" + table(["preset", "settings", "from"], rows))
    return "\n".join(page)


def literal(text):
    """The string of some C++ literals, with fmt's fields as three dots."""
    joined = "".join(json.loads(f'"{part}"') for part in re.findall(STRING, text))
    return cell(re.sub(r"(?<!\{)\{\d+\}", "…", joined).replace("{{", "{").replace("}}", "}"))


def diagnostics():
    """The tables of dsl/Diagnostics.def, section by section."""
    text = (ROOT / "dsl/Diagnostics.def").read_text()
    found = 0
    for section in re.finditer(r"^// --- (.*?) -+\n(.*?)(?=^// --- |\Z)", text, re.M | re.S):
        rows = [[f"BR{number}", *map(literal, texts)] for number, *texts in (
            match.group(1, 2, 4, 6) for match in re.finditer(
                rf"^BRAID_DIAG\(BR(\d+), \w+,{STRINGS},{STRINGS},{STRINGS}\s*\)", section.group(2), re.M))]
        found += len(rows)
        yield f"## {section.group(1)}\n\n" + table(["id", "what", "why", "fix"], sorted(rows))
    if found != len(re.findall(r"^BRAID_DIAG\(", text, re.M)):
        sys.exit("dsl/Diagnostics.def: has rows of another form")


def exit_codes():
    return dict(re.findall(r"^  (\w+) = (\d+),", (ROOT / "runtime/Status.h").read_text(), re.M))


def runtime_errors():
    """The table of the runtime's errors, with the exit code of each class."""
    codes = exit_codes()
    rows = []
    for name in ("Errors.def", "NpzErrors.def"):
        text = (ROOT / "runtime" / name).read_text()
        found = re.findall(rf'^BRAID_ERROR\(\w+, "(BR\d+)", (\w+),{STRINGS}\)', text, re.M)
        if len(found) != len(re.findall(r"^BRAID_ERROR\(", text, re.M)):
            sys.exit(f"runtime/{name}: has rows of another form")
        rows += [[number, codes[kind], literal(when)] for number, kind, when, _ in found]
    return ("## BR5: metadata, compilation, devices, launches, files, the command\n\n"
            + table(["id", "exit", "when"], sorted(rows)))


def errors_page(_):
    words = {number: re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower() for name, number in exit_codes().items()}
    codes = ", ".join(f"{number} {name}" for number, name in words.items())
    return (f"# Errors\n\nThree dots stand for what a message fills in. Exit codes: {codes}.\n\n"
            + "\n".join([*diagnostics(), runtime_errors()]))


PAGES = {"ops": ops_page, "layouts": layouts_page, "presets": presets_page, "targets": targets_page,
         "errors": errors_page}


def main():
    command = sys.argv[1]
    stale = []
    pages = {HERE / f"{name}.md": make(command) for name, make in PAGES.items()}
    for path, text in pages.items():
        text = "<!-- Made by generate.py of this folder. -->\n" + text
        if not path.exists() or path.read_text() != text:
            stale.append(f"docs/reference/{path.name}")
            if "--check" not in sys.argv:
                path.write_text(text)
    if "--check" in sys.argv and stale:
        print(f"{', '.join(stale)}: not what the build says. To refresh:\n"
              f"    {sys.executable} {pathlib.Path(__file__).resolve()} {pathlib.Path(command).resolve()}")
        return 1
    print("Written: " + ", ".join(stale) if stale else "All pages are what the build says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
