"""Python packages for the measuring tools, in a folder of our own.

`need_packages()` makes a virtual environment under target/ from requirements.txt, or
another such file, the first time, and starts the calling tool again inside it. Nothing
is installed anywhere else.
"""

import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 900


def need_packages(requirements="requirements.txt", folder="python"):
    """Returns inside the environment, whoever called."""
    requirements = ROOT / "tools" / requirements
    folder = ROOT / "target" / folder
    # What the environment was made from; written last.
    made_from = folder / "requirements.txt"
    wanted = requirements.read_text(encoding="utf-8")
    python = folder / "bin" / "python"
    if not made_from.is_file() or made_from.read_text(encoding="utf-8") != wanted:
        print(f"installing what {requirements.name} names into {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        install = [python, "-m", "pip", "install", "--quiet", "--requirement", requirements]
        try:
            subprocess.run(install, check=True, timeout=LIMIT)
        except (OSError, subprocess.SubprocessError) as error:
            sys.exit(f"error: the packages cannot be installed: {error}\n\nhint: is there a network?")
        made_from.write_text(wanted, encoding="utf-8")
    if pathlib.Path(sys.prefix).resolve() != folder.resolve():
        os.execv(python, [python, *sys.argv])
