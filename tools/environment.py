"""Python packages for the measuring tools, in a folder of our own.

`need_packages()` makes a virtual environment under target/ from requirements.txt
the first time, and starts the calling tool again inside it. Nothing is installed
anywhere else.
"""

import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "tools" / "requirements.txt"
FOLDER = ROOT / "target" / "python"
# What the environment was made from; written last.
MADE_FROM = FOLDER / "requirements.txt"
LIMIT = 900


def need_packages():
    """Returns inside the environment, whoever called."""
    wanted = REQUIREMENTS.read_text(encoding="utf-8")
    python = FOLDER / "bin" / "python"
    if not MADE_FROM.is_file() or MADE_FROM.read_text(encoding="utf-8") != wanted:
        print(f"installing what {REQUIREMENTS.name} names into {FOLDER}", file=sys.stderr)
        venv.create(FOLDER, with_pip=True, clear=True)
        install = [python, "-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS]
        try:
            subprocess.run(install, check=True, timeout=LIMIT)
        except (OSError, subprocess.SubprocessError) as error:
            sys.exit(f"error: the packages cannot be installed: {error}\n\nhint: is there a network?")
        MADE_FROM.write_text(wanted, encoding="utf-8")
    if pathlib.Path(sys.prefix).resolve() != FOLDER.resolve():
        os.execv(python, [python, *sys.argv])
