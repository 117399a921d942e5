"""The Python client as a package: its installation, its types, and its error without websockets."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from surtitle_test import CLIENT

# Right and wrong uses. A checker reports a comment "type: ignore" on a line without an error.
PROGRAM = """
import surtitle

async def main() -> None:
    async with surtitle.open_stream("http://host/", source="de", target="en", channel="main") as stream:
        await stream.source("Guten Morgen.", time=1.5)
        seconds: float = stream.ready["resume"]["seconds"]
        await stream.source(seconds)  # type: ignore[arg-type]
        await stream.say("Guten Morgen.")  # type: ignore[attr-defined]
        async for message in stream:
            print(message["type"])
    async for message in surtitle.watch("http://host/", "main", attention=True):
        print(message["type"])
    surtitle.open_stream("http://host/", source="de")  # type: ignore[call-arg]
    code: str = surtitle.SurtitleError("slow", "too slow").code
    print(code)
"""


def run(*command, **environment):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment})


class PackageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_an_installation_has_all_modules_and_the_types(self):
        source = self.folder / "client"  # a build leaves files beside the sources
        shutil.copytree(CLIENT, source, ignore=shutil.ignore_patterns("__pycache__"))
        target = self.folder / "installed"
        pip = run(sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--target", target, source)
        self.assertEqual(pip.returncode, 0, pip.stderr)
        self.assertTrue((target / "surtitle/py.typed").exists())
        program = "import surtitle; print(surtitle.__file__, surtitle.open_stream.__name__)"
        used = run(sys.executable, "-c", program, PYTHONPATH=str(target))
        self.assertEqual(used.stdout, f"{target}/surtitle/__init__.py open_stream\n", used.stderr)

    def test_its_types_are_checked_in_programs_and_in_itself(self):
        program = self.folder / "program.py"
        program.write_text(PROGRAM)
        for what in ([program], [CLIENT / "surtitle", CLIENT / "translate.py"]):
            check = run("/usr/bin/mypy", "--config-file", CLIENT / "pyproject.toml", "--cache-dir", self.folder / "cache", *what,
                        MYPYPATH=str(CLIENT))
            self.assertEqual(check.returncode, 0, check.stdout + check.stderr)

    def test_without_websockets_the_error_is_one_line_with_the_remedy(self):
        program = "import sys; sys.modules['websockets'] = None; import surtitle"
        failed = run(sys.executable, "-c", program, PYTHONPATH=str(CLIENT))
        self.assertEqual(failed.returncode, 1)
        self.assertEqual(failed.stderr.splitlines()[-1],
                         "ModuleNotFoundError: surtitle needs the package websockets: pip install websockets, or apt install "
                         "python3-websockets")
        self.assertNotIn("another exception", failed.stderr)
        example = run(sys.executable, "-c", "import sys, runpy; sys.modules['websockets'] = None; "
                      f"runpy.run_path({str(CLIENT / 'translate.py')!r}, run_name='__main__')", PYTHONPATH=str(CLIENT))
        self.assertEqual(example.stderr, "translate: surtitle needs the package websockets: pip install websockets, or apt "
                         "install python3-websockets\n")
        self.assertEqual(example.returncode, 1)


if __name__ == "__main__":
    unittest.main()
