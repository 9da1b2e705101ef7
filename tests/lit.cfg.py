# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lit suites: dialect, passes, emit, isa, dsl, cli. Each folder is one ctest; CMake writes the site
# configuration.
import os

import lit.formats

config.name = "braid"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".braid", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.braid_build, "tests")
config.excludes = ["Inputs"]

path = os.pathsep.join([config.braid_bin, config.llvm_bin, os.environ["PATH"]])
config.environment["PATH"] = path
config.environment.pop("BRAID_TARGET", None)
config.environment.pop("BRAID_DEVICE", None)
config.environment.pop("BRAID_REPRODUCE_DIR", None)
config.substitutions.append(("%examples", os.path.join(config.braid_source, "examples")))
config.substitutions.append(("%bin", config.braid_bin))
config.substitutions.append(("%data", os.path.join(config.braid_source, "tests", "data")))
config.substitutions.append(("%tests", os.path.join(config.braid_source, "tests")))
config.substitutions.append(("%python", config.python))
# How generated text is compiled by hand: warnings are errors.
config.substitutions.append(("%flags", "-x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output -O3 "
                             "-std=c++20 -mcode-object-version=5 -Wall -Wextra -Werror"))
# Runs a command whose exit code a test names: %exits CODE COMMAND...
config.substitutions.append(("%exits", config.python + " " + os.path.join(config.braid_source, "tests", "cli", "exit_code.py")))
