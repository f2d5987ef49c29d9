"""The program, asked."""

import json
import re
import subprocess
import tempfile
from pathlib import Path


class Program:
    def __init__(self, path):
        self.path = Path(path).resolve()

    def printed(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([self.path, *arguments], capture_output=True, text=True, cwd=folder, check=False)
        if run.returncode not in (0, 1):
            raise RuntimeError(f"dpbudget {' '.join(arguments)}: {run.stderr.strip()}")
        return run.stdout

    def json(self, *arguments):
        return json.loads(self.printed(*arguments, "--json"))

    def commands(self):
        """Each command with what it says that it answers."""
        listed = re.search(r"^Subcommands:\n(.*?)\n\n", self.printed("--help"), re.MULTILINE | re.DOTALL)[1]
        return dict(line.split(maxsplit=1) for line in re.sub(r"\n {4,}", " ", listed).splitlines())

    def assumed(self, plan, accountant):
        """What a report on the plan says that each of its parts stands for, whoever answers."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.md"
            self.printed("epsilon", plan, "--delta", "1e-5", "--accountant", accountant, "--report", str(report))
            section = re.search(r"^## What is assumed\n(.*?)^## ", report.read_text(), re.MULTILINE | re.DOTALL)[1]
        return dict(re.findall(r"^\| (\S.*?) \| (.*) \|$", section.replace("\\_", "_"), re.MULTILINE))
