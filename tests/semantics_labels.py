#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/semantics.md: each labelled constraint is cited by a test, and what is named exists.

    semantics_labels.py SOURCE_FOLDER

A label (`S-SUM-1`) is defined by `- **S-SUM-1**`, once; labels of a group count from 1. Paragraphs that
name files follow the constraints: links, classes of tests (`RowsTest`), programs of tests/dsl
(`norm_eps`, `quantize_*`), files and identifiers.
"""
import collections
import pathlib
import re
import sys

LABEL = r"\bS-[A-Z0-9]+-\d+\b"
SOURCES = {".cpp", ".h", ".td", ".def", ".py", ".mlir", ".braid", ".test", ".md"}


def read(root, folders):
    return {path: path.read_text(errors="replace") for folder in folders for path in sorted((root / folder).rglob("*"))
            if path.suffix in SOURCES and path.is_file()}


def check_labels(page, sources, tests):
    defined = re.findall(rf"^- \*\*({LABEL})\*\*", page, re.M)
    groups = collections.defaultdict(list)
    for label in defined:
        group, number = label.rsplit("-", 1)
        groups[group].append(int(number))
    for group, numbers in groups.items():
        if sorted(numbers) != list(range(1, len(numbers) + 1)):
            yield f"{group}: numbers are {sorted(numbers)}, not 1 to {len(numbers)}"
    cited = {label for text in tests.values() for label in re.findall(LABEL, text)}
    for label in defined:
        if label not in cited:
            yield f"{label}: no test cites it; name it in a comment of the test that covers it"
    for path, text in {**sources, **tests, pathlib.Path("docs/semantics.md"): page}.items():
        for label in sorted(set(re.findall(LABEL, text)) - set(defined)):
            yield f"{path}: cites {label}, which docs/semantics.md does not define"


def check_names(root, paragraph, code):
    for target in re.findall(r"\]\(([^)#]+)", paragraph):
        if not (root / "docs" / target).exists():
            yield f"{target} does not exist"
    plain = re.sub(r"\[[^\]]*\]\([^)]*\)", "", paragraph)
    for name in re.findall(r"`(\w+)`", plain):
        if not any(re.search(rf"\b{name}\b", text) for text in code):
            yield f"nothing is called `{name}`"
    plain = re.sub(r"`[^`]*`", "", plain)
    for name in re.findall(r"\b(?:\w+/)*\w+(?:Test|\.cpp|\.h)\b", plain):
        file = name if "." in name else name + ".cpp"
        if not next(root.glob(f"*/**/{file}"), None):
            yield f"there is no {file}"
    for name in re.findall(r"\b[a-z][a-z0-9]*_[a-z0-9_*]+", re.sub(r"tests/\w+", "", plain)):
        if not next((root / "tests/dsl").glob(f"{name}.braid"), None):
            yield f"there is no tests/dsl/{name}.braid"


def check_paragraphs(root, page, sources, tests):
    code = [text for path, text in {**sources, **tests}.items() if path.suffix in {".cpp", ".h"}]
    open_labels = []
    for paragraph in page.split("\n\n"):
        open_labels += re.findall(rf"^- \*\*({LABEL})\*\*", paragraph, re.M)
        names = re.search(r"^(?:Reference|Device): .*\bTests:(.*)", paragraph, re.M | re.S)
        if not names:
            continue
        first = open_labels[0] if open_labels else "a paragraph without constraints"
        if not re.search(r"Test\b", names.group(1)):
            yield f"{first}: the paragraph behind it names no test"
        yield from (f"{first}, its files: {problem}" for problem in check_names(root, paragraph, code))
        open_labels = []
    if open_labels:
        yield f"{open_labels[0]}: no paragraph behind it names tests"


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs/semantics.md").read_text()
    tests = read(root, ["tests"])
    tests.pop(pathlib.Path(__file__).resolve(), None)
    sources = read(root, ["codegen", "dsl", "runtime", "templates", "examples", "docs/adr"])
    problems = [*check_labels(page, sources, tests), *check_paragraphs(root, page, sources, tests)]
    print("\n".join(problems) or "Each constraint is cited by a test")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
