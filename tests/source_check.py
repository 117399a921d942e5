"""The command line of scripts that check the project's source."""

import pathlib
import sys


def run(check):
    """Runs check(root), which returns its findings, one line each. Prints them and returns the exit code."""
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(f"usage: tests/{pathlib.Path(sys.argv[0]).name} [ROOT]", file=sys.stderr)
        return 2
    root = pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else pathlib.Path(__file__).parent.parent).resolve()
    findings = check(root)
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0
