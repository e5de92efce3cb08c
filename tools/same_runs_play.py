"""Running the experiments of `same_runs_cases.py`: processes, kills, a crew, a cache."""

import glob
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from typing import NamedTuple

from same_runs_cases import RESUME, SET_NAMES, THREADS

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "target" / "same-runs"
# Each case has the same folder in every variant and for every program, because the paths
# of players and files are part of what is recorded.
WORK = FOLDER / "work"
# The engine of matches and tunings is the program itself. Its path and hash are recorded,
# so it is started by a script that is the same for all programs.
ENGINE = FOLDER / "engine"
ENGINE_SCRIPT = '#!/bin/sh\nexec "$SAME_RUNS_PROGRAM" uci --tunable\n'
# No command may take longer, in seconds.
LIMIT = 300
POLL_INTERVAL = 0.002
# How often a run is started again that was over before it could be killed.
ATTEMPTS = 3
INVALID_REQUEST = 2


class NotRun(Exception):
    """A run that is impossible on this machine, with the reason."""


class RunFailed(Exception):
    """A command that did not do what it should, with the reason."""


class EndedEarly(RunFailed):
    """A run that was over before it could be killed."""


class Result(NamedTuple):
    """A finished variant: its folder, the time it took, and a note about it."""

    folder: pathlib.Path
    wall: float
    cpu: float
    note: str


class Program:
    """A built `mendel`."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        self.sha256 = hashlib.sha256(self.path.read_bytes()).hexdigest()
        self.helps = {}

    def help(self, command):
        """What `mendel COMMAND --help` prints; empty if there is no such command."""
        if command not in self.helps:
            arguments = [self.path, *command.split(), "--help"]
            done = subprocess.run(arguments, capture_output=True, text=True, timeout=LIMIT, check=False)
            self.helps[command] = done.stdout if done.returncode == 0 else ""
        return self.helps[command]

    def shows(self, form):
        """True if the help of the form's command exists and shows its flag."""
        text = self.help(form.command)
        return bool(text) and form.flag in text

    def threads(self, command, count):
        """The arguments for a number of threads of a command such as `data make`."""
        flags = THREADS.get(command, THREADS[""])
        flag = next((flag for flag in flags if flag in self.help(command)), None)
        return [flag, str(count)] if flag else []


class Process:
    """A running command. Its output goes to a file, its CPU time is measured."""

    def __init__(self, arguments, cwd, environment, log):
        self.arguments = [str(it) for it in arguments]
        self.log = pathlib.Path(log)
        self.usage = None
        self.code = None
        with open(log, "wb") as output:
            self.popen = subprocess.Popen(
                self.arguments, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )

    def is_over(self):
        """True if it has ended; then `code` and `usage` are known."""
        if self.code is None:
            pid, status, usage = os.wait4(self.popen.pid, os.WNOHANG)
            if pid:
                self.code = self.popen.returncode = os.waitstatus_to_exitcode(status)
                self.usage = usage
        return self.code is not None

    def wait(self, limit=LIMIT, until=None):
        """Waits for its end, or until a condition holds: True if that came first."""
        deadline = time.monotonic() + limit
        while not self.is_over():
            if until and until():
                return True
            if time.monotonic() > deadline:
                self.kill()
                raise RunFailed(f"no end after {limit} s: {self.command()}")
            time.sleep(POLL_INTERVAL)
        return False

    def kill(self):
        """Kills it as `kill -9` does."""
        if not self.is_over():
            os.kill(self.popen.pid, signal.SIGKILL)
            while not self.is_over():
                time.sleep(POLL_INTERVAL)

    def cpu(self):
        """Seconds of CPU time, with those of its children that have ended."""
        return self.usage.ru_utime + self.usage.ru_stime

    def command(self):
        return " ".join(self.arguments)

    def output(self):
        return self.log.read_text(encoding="utf-8", errors="replace").strip()


class Crew:
    """A NATS server of our own on this machine, and two workers of a program."""

    WORKERS = 2

    def __init__(self, program):
        self.program = program
        self.processes = []
        self.url = None
        self.starting = threading.Lock()
        self.failure = None
        self.folder = None

    def start(self):
        """Starts server and workers once; returns the server's address."""
        with self.starting:
            if self.failure:
                raise self.failure
            if not self.url:
                try:
                    self.url = self.start_all()
                except RunFailed as error:
                    self.failure = error
                    raise
        return self.url

    def start_all(self):
        if not shutil.which("nats-server"):
            raise RunFailed("no nats-server in the PATH; tools/install_needs.sh installs it")
        self.folder = tempfile.TemporaryDirectory(prefix="mendel-same-runs-")
        store = pathlib.Path(self.folder.name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        variables = environment(store, self.program)
        command = ["nats-server", "--addr", "127.0.0.1", "--port", port, "--jetstream", "--store_dir", store / "store"]
        server = Process(command, store, variables, store / "server.log")
        self.processes.append(server)

        def answers():
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return True
            except OSError:
                return False

        if not server.wait(20, until=answers):
            raise RunFailed(f"nats-server has ended: {server.output()}")
        url = f"nats://127.0.0.1:{port}"
        for number in range(self.WORKERS):
            command = [self.program.path, "worker", "--crew", url, "--threads", "1", "--name", f"worker-{number}"]
            command += ["--allow", f"{ENGINE.name}=uci:{ENGINE}"]
            worker = Process(command, store, variables, store / f"worker-{number}.log")
            self.processes.append(worker)
            if not worker.wait(20, until=lambda: "joined" in worker.output()):
                raise RunFailed(f"a worker has ended: {worker.output()}")
        return url

    def stop(self):
        """Ends the workers and the server. Returns the seconds of CPU time they took."""
        for process in reversed(self.processes):
            process.kill()
        if self.folder:
            self.folder.cleanup()
        return sum(process.cpu() for process in self.processes)


def environment(home, program):
    """The environment of a command of `program` whose library is in `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MENDEL_")}
    return {**kept, "MENDEL_HOME": str(home), "SAME_RUNS_PROGRAM": str(program.path)}


def install_engine():
    """Writes the script that starts the program as an engine."""
    ENGINE.write_text(ENGINE_SCRIPT, encoding="utf-8")
    ENGINE.chmod(0o755)


def training_environment():
    """The folder of the training environment, or NotRun."""
    folder = ROOT / ".venv-train"
    if not (folder / "ready").is_file():
        raise NotRun("no training environment")
    return folder


class Player:
    """Runs variants of cases with one program."""

    def __init__(self, program, crew=None):
        self.program = program
        self.crew = crew

    def play(self, case, variant, target, seed=None, files=None):
        """Runs a variant and moves its folder to `target`.

        `seed` and `files` replace what the case says.
        """
        if case.kind == "train":
            self.check_training()
        for attempt in range(1, ATTEMPTS + 1):
            job = self.prepare(case, seed, files)
            begun = time.perf_counter()
            try:
                note = self.variant(job, variant)
                break
            except EndedEarly:
                if attempt == ATTEMPTS:
                    raise
        wall = time.perf_counter() - begun
        if not (job.here / "run").is_dir():
            raise RunFailed("it succeeded and wrote no folder")
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(job.here / "run", target)
        return Result(target, wall, job.cpu, note)

    def prepare(self, case, seed, files):
        """An empty folder with the files of the case."""
        here = WORK / case.name.replace(" ", "-")
        shutil.rmtree(here, ignore_errors=True)
        (here / "home").mkdir(parents=True)
        job = Job(self.program, case, here, seed)
        for name, text in {**case.files, **(files or {})}.items():
            (here / name).write_text(job.filled(text), encoding="utf-8")
        if case.kind in ("data", "calibrate"):
            # Their results are files in a folder that must exist.
            (here / "run").mkdir()
        for arguments in case.prepare:
            job.run([arguments], [])
        job.cpu = 0.0
        return job

    def variant(self, job, variant):
        if variant == "killed":
            return job.killed(2, 1)
        if variant == "crew":
            url = self.crew.start()
            job.start(1, ["--crew", url])
            return ""
        job.start(int(variant.split()[0]), [])
        return ""

    def check_training(self):
        training_environment()
        done = subprocess.run(
            [self.program.path, "train", "chessnet", "--data", "x.games"],
            capture_output=True, text=True, timeout=LIMIT, check=False,
        )  # fmt: skip
        if "built without training" in done.stderr:
            raise NotRun("a program was built without training")


class Job:
    """One variant of a case under way in the folder `here`."""

    def __init__(self, program, case, here, seed):
        self.program = program
        self.case = case
        self.here = here
        self.seed = seed
        self.cpu = 0.0
        self.number = 0
        # What was started, for kinds that resume by the same command.
        self.started = None

    def start(self, threads, more):
        """Runs the case to its end."""
        self.run(self.start_forms(threads), more)

    def start_forms(self, threads):
        """The commands that start the case, to be tried in order."""
        forms = [form for form in self.case.start if self.program.shows(form)]
        if not forms:
            raise RunFailed(f"`mendel {self.case.start[0].command} --help` shows no form that is known")
        commands = []
        for form in forms:
            arguments = [*form.arguments, *self.program.threads(form.command, threads)]
            if self.seed is not None:
                arguments[arguments.index("--seed") + 1] = str(self.seed)
            commands.append(arguments)
        renamed = [[with_new_names(it) for it in arguments] for arguments in commands]
        return commands + [arguments for arguments in renamed if arguments not in commands]

    def resume_forms(self, threads):
        """The commands that resume the case, to be tried in order."""
        commands = []
        for form in RESUME[self.case.kind]:
            if not self.program.shows(form):
                continue
            arguments = []
            for argument in form.arguments:
                arguments += self.started if argument == "{start}" else [argument]
            if "{start}" not in form.arguments:
                arguments += ["--quiet", *self.program.threads(form.command, threads)]
            commands.append(arguments)
        return commands

    def run(self, commands, more):
        """Runs the first of the commands that the program takes, to its end."""
        process = None
        for arguments in commands:
            process = self.process([*arguments, *more])
            process.wait()
            self.cpu += process.cpu()
            if process.code == 0:
                self.started = arguments
                return
            if process.code != INVALID_REQUEST:
                break
        raise RunFailed(f"exit code {process.code}: {process.command()}\n{process.output()}")

    def killed(self, threads, threads_then):
        """Runs the case, kills it on its way and resumes it. Returns a note."""
        if self.case.threads_matter:
            threads = threads_then
        patterns, least = self.case.progress
        lines = 0

        def is_on_its_way():
            nonlocal lines
            lines = sum(count_lines(path) for it in patterns for path in glob.glob(str(self.here / it)))
            return lines >= least

        process = None
        for arguments in self.start_forms(threads):
            process = self.process(arguments)
            if process.wait(until=is_on_its_way):
                process.kill()
                self.started = arguments
                self.cpu += process.cpu()
                break
            if process.code != INVALID_REQUEST:
                break
        if process.code != -signal.SIGKILL:
            if process.code == 0:
                raise EndedEarly(f"it ended before it was killed: {process.command()}")
            raise RunFailed(f"exit code {process.code}: {process.command()}\n{process.output()}")
        self.run(self.resume_forms(threads_then), [])
        return f"killed at {lines}"

    def process(self, arguments):
        self.number += 1
        filled = [self.filled(argument) for argument in arguments]
        log = self.here / f"output-{self.number}.txt"
        return Process([self.program.path, *filled], self.here, environment(self.here / "home", self.program), log)

    def filled(self, argument):
        places = {"{run}": self.here / "run", "{here}": self.here, "{engine}": ENGINE}
        if argument == "{newest}":
            return str(self.newest())
        for name, path in places.items():
            argument = argument.replace(name, str(path))
        return argument

    def newest(self):
        """The experiment in the library that was started last."""
        found = glob.glob(str(self.here / "home" / "*" / "*" / "manifest.toml"))
        found.sort(key=os.path.getmtime)
        return pathlib.Path(found[-1]).parent if found else self.here / "home"


def with_new_names(argument):
    """An argument of `--set` with the name that its key has in later versions."""
    key, equals, value = argument.partition("=")
    return SET_NAMES.get(key, key) + equals + value


def count_lines(path):
    try:
        return pathlib.Path(path).read_bytes().count(b"\n")
    except OSError:
        return 0


class Cache:
    """The folders of the old program, made once."""

    def __init__(self, program):
        self.player = Player(program)
        self.folder = FOLDER / program.sha256

    def reference(self, case, variant):
        """The folder of an unbroken run in this process, and the seconds it took now."""
        variant = "2 threads" if case.threads_matter and variant == "2 threads" else "1 thread"
        # What was run is part of the name, so that a changed case is run again.
        what = json.dumps([case._asdict(), variant, str(WORK), ENGINE_SCRIPT], sort_keys=True, default=str)
        name = f"{case.name.replace(' ', '-')}-{hashlib.sha256(what.encode()).hexdigest()[:12]}"
        folder, complete = self.folder / name / "run", self.folder / name / "complete"
        if complete.is_file():
            return Result(folder, 0.0, 0.0, "cached")
        result = self.player.play(case, variant, folder)
        complete.write_text(f"{result.wall:.1f} s, {result.cpu:.1f} s of CPU time\n", encoding="utf-8")
        return result
