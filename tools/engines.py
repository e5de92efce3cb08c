"""Talking to chess programs, UCI or xboard, without ever waiting for ever.

`open_engine("uci:/usr/games/toga2?OwnBook=false&Hash=16")` starts a program;
`new_game` and `play` make it move on a clock. Whatever a program does wrong
becomes a `Fault`, which costs it the game and never stops the match.
"""

import ctypes
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse

import chess

HANDSHAKE_LIMIT = 15.0
FEATURE_LIMIT = 3.0
QUIT_LIMIT = 1.0
# How long past the end of its clock a program is waited for before it counts
# as hanging and is killed.
GRACE = 3.0

HASH_MIB = 16

# Looked up here, because little may be done between fork and exec.
PRCTL = ctypes.CDLL(None, use_errno=True).prctl

# Opponents of the Debian distribution: one thread, no book, no pondering, a
# small table where the size can be set.
OPPONENTS = {
    "toga2": "uci:/usr/games/toga2?OwnBook=false&Ponder=false&Hash=16&Number of Threads=1",
    "gnuchess": "uci:/usr/games/gnuchess --uci?OwnBook=false&Ponder=false&Hash=16",
    "glaurung": "uci:/usr/games/glaurung?Threads=1&OwnBook=false&Ponder=false&Hash=16",
    "ethereal": "uci:/usr/games/ethereal-chess?Threads=1&Hash=16&MoveOverhead=10",
    "stockfish": "uci:/usr/games/stockfish?Threads=1&Hash=16&Use NNUE=false",
    "stockfish-nnue": "uci:/usr/games/stockfish?Threads=1&Hash=16",
    "fairymax": "xboard:/usr/games/fairymax",
    "hoichess": "xboard:/usr/games/hoichess --norc --initcmd 'hash size 16M' --initcmd 'pawnhash size 4M'",
    "phalanx": "xboard:/usr/games/phalanx -b- -l- -p- -t16384",
    "sjeng": "xboard:/usr/games/sjeng",
}


class Fault(Exception):
    """What a program did wrong; its game is lost."""

    def __init__(self, reason, fatal=True):
        super().__init__(reason)
        self.reason = reason
        # A fatal fault leaves the program in an unknown state: start it anew.
        self.fatal = fatal


class Line:
    """The pipes of one program: lines in, lines out, each wait with a limit."""

    def __init__(self, command, nice=0):
        # Some programs write learning files into HOME or where they stand.
        self.home = tempfile.mkdtemp(prefix="mendel-match-")
        prepare_home(self.home)
        environment = dict(os.environ, HOME=self.home)
        arguments = shlex.split(command)
        if os.sep in arguments[0]:
            arguments[0] = os.path.abspath(arguments[0])
        try:
            self.process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self.home,
                env=environment,
                bufsize=0,
                start_new_session=True,
                preexec_fn=lambda: before_start(nice),
            )
        except OSError as error:
            shutil.rmtree(self.home, ignore_errors=True)
            raise Fault(f"does not start: {error}") from error
        self.buffer = bytearray()

    def send(self, *lines):
        try:
            self.process.stdin.write(("\n".join(lines) + "\n").encode())
        except OSError as error:
            raise Fault(self.why_gone()) from error

    def read(self, deadline):
        """The next line; `None` when the deadline passes first."""
        while True:
            end = self.buffer.find(b"\n")
            if end >= 0:
                line = bytes(self.buffer[:end]).decode("utf-8", "replace").strip()
                del self.buffer[: end + 1]
                return line
            wait = deadline - time.perf_counter()
            if wait <= 0:
                return None
            if not select.select([self.process.stdout], [], [], wait)[0]:
                return None
            chunk = os.read(self.process.stdout.fileno(), 65536)
            if not chunk:
                raise Fault(self.why_gone())
            self.buffer += chunk
            if len(self.buffer) > 1 << 22:
                raise Fault("babbles: four megabytes without a line end")

    def drain(self):
        """Throws away what was said and not asked for."""
        now = time.perf_counter()
        while self.read(now) is not None:
            pass

    def why_gone(self):
        try:
            status = self.process.wait(0.5)
        except subprocess.TimeoutExpired:
            return "disconnects"
        return f"crashes: signal {-status}" if status < 0 else f"exits: status {status}"

    def close(self, *farewell):
        """Says goodbye; a program that does not go, or crashes while it goes, is no matter."""
        try:
            self.send(*farewell)
            self.process.wait(QUIT_LIMIT)
        except (Fault, subprocess.TimeoutExpired):
            pass
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        shutil.rmtree(self.home, ignore_errors=True)


def before_start(nice):
    """In the new process: die with the parent. sjeng spins for ever once its input ends."""
    os.nice(nice)
    PRCTL(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def prepare_home(home):
    """sjeng takes its table sizes from a file in HOME: an entry is 48 bytes."""
    source = "/etc/sjeng.rc"
    if not os.path.exists(source):
        return
    with open(source, encoding="latin-1") as file:
        settings = file.read()
    entries = HASH_MIB * 1024 * 1024 // 48
    settings = re.sub(r"^\d+$", str(entries), settings, count=1, flags=re.M)
    os.mkdir(os.path.join(home, ".sjeng"))
    with open(os.path.join(home, ".sjeng", "sjeng.rc"), "w", encoding="latin-1") as file:
        file.write(settings)


class Clock:
    """Both clocks of a game in seconds, and what each move adds."""

    def __init__(self, base, increment):
        self.base = base
        self.increment = increment
        self.left = {chess.WHITE: base, chess.BLACK: base}


class Answer:
    """A move, a resignation or a claimed draw, and how long it took."""

    def __init__(self, kind, seconds, move=None):
        self.kind = kind
        self.seconds = seconds
        self.move = move


class Engine:
    """A running program, of either protocol."""

    def __init__(self, command, options, nice=0):
        self.name = os.path.basename(shlex.split(command)[0])
        self.options = options
        self.line = Line(command, nice)
        try:
            self.greet()
        except Fault:
            self.line.close()
            raise

    def close(self):
        self.line.close("quit")

    def wait_for(self, wanted, seconds):
        """Reads until a line starts with `wanted`."""
        deadline = time.perf_counter() + seconds
        while (line := self.line.read(deadline)) is not None:
            if line == wanted or line.startswith(wanted + " "):
                return line
        raise Fault(f"stalls: no `{wanted}` within {seconds:g} s")

    def await_move(self, board, clock, understand):
        """Reads until `understand(line, seconds)` gives an answer, timing it."""
        started = time.perf_counter()
        deadline = started + clock.left[board.turn] + GRACE
        while (line := self.line.read(deadline)) is not None:
            answer = understand(line, time.perf_counter() - started)
            if answer is not None:
                return answer
        raise Fault("stalls: no move")


class UciEngine(Engine):
    def greet(self):
        self.line.send("uci")
        deadline = time.perf_counter() + HANDSHAKE_LIMIT
        while (line := self.line.read(deadline)) != "uciok":
            if line is None:
                raise Fault("stalls: no `uciok`")
            if line.startswith("id name "):
                self.name = line[len("id name ") :]
        for name, value in self.options.items():
            self.line.send(f"setoption name {name} value {value}")
        self.ready()

    def ready(self):
        self.line.send("isready")
        self.wait_for("readyok", HANDSHAKE_LIMIT)

    def new_game(self, _clock, _board):
        self.line.send("ucinewgame")
        self.ready()

    def play(self, board, clock):
        moves = " ".join(move.uci() for move in board.move_stack)
        milliseconds = {side: max(1, int(1000 * left)) for side, left in clock.left.items()}
        increment = int(1000 * clock.increment)
        self.line.drain()
        self.line.send(
            "position startpos" + (f" moves {moves}" if moves else ""),
            f"go wtime {milliseconds[chess.WHITE]} btime {milliseconds[chess.BLACK]}"
            f" winc {increment} binc {increment}",
        )

        def understand(line, seconds):
            words = line.split()
            if not words or words[0] != "bestmove":
                return None
            text = words[1] if len(words) > 1 else "nothing"
            try:
                return Answer("move", seconds, board.parse_uci(text))
            except ValueError:
                raise Fault(f"illegal move: {text}") from None

        return self.await_move(board, clock, understand)

    def finish(self, _result):
        pass


# sjeng also says "Move ordering : 87 %", so the case matters.
MOVE = re.compile(r"^(?:move\s|[Mm]y move is\s*:?|\d+\.\s*\.\.\.)\s*(\S+)")
RESULT = re.compile(r"^(?:result\s+)?(1-0|0-1|1/2-1/2)(?:\s|$)")
FEATURE = re.compile(r'(\w+)=("[^"]*"|\S+)')


class XboardEngine(Engine):
    def greet(self):
        self.features = {}
        self.pings = 0
        self.thinks = False
        self.line.send("xboard", "protover 2")
        deadline = time.perf_counter() + FEATURE_LIMIT
        while (line := self.line.read(deadline)) is not None:
            if not line.startswith("feature "):
                continue
            for name, value in FEATURE.findall(line[len("feature ") :]):
                self.features[name] = value.strip('"')
                self.line.send(f"accepted {name}")
                if name == "done" and value == "0":
                    deadline = time.perf_counter() + HANDSHAKE_LIMIT
            if self.features.get("done") == "1":
                break
        self.name = self.features.get("myname", self.name)

    def ready(self):
        if self.features.get("ping") == "1":
            self.pings += 1
            self.line.send(f"ping {self.pings}")
            self.wait_for(f"pong {self.pings}", HANDSHAKE_LIMIT)

    def new_game(self, clock, board):
        minutes, seconds = divmod(max(1, round(clock.base)), 60)
        self.line.send("new", "force", "easy", "nopost")
        if self.features.get("memory") == "1":
            self.line.send(f"memory {HASH_MIB}")
        for name, value in self.options.items():
            self.line.send(f"option {name}={value}")
        # Old programs read whole seconds only; `time` tells them the truth
        # before each move.
        self.line.send(f"level 0 {minutes}:{seconds:02} {int(clock.increment)}")
        self.thinks = False
        self.sent = 0
        self.tell(board)
        self.ready()

    def tell(self, board):
        """Sends the moves the program has not seen yet."""
        word = "usermove " if self.features.get("usermove") == "1" else ""
        for move in board.move_stack[self.sent :]:
            self.line.send(word + move.uci())
        self.sent = len(board.move_stack)

    def play(self, board, clock):
        ours, theirs = clock.left[board.turn], clock.left[not board.turn]
        self.line.drain()
        clocks = (f"time {max(1, int(100 * ours))}", f"otim {max(1, int(100 * theirs))}")
        if self.thinks:
            # The opponent's move also tells the program to answer it.
            self.line.send(*clocks)
            self.tell(board)
        else:
            self.tell(board)
            self.line.send(*clocks, "go")
            self.thinks = True

        def understand(line, seconds):
            if found := MOVE.match(line):
                return Answer("move", seconds, self.read_move(board, found[1]))
            if line.startswith("Illegal move"):
                raise Fault(f"refuses a legal move: {line}")
            if line.startswith("resign") or "resigns" in line and RESULT.match(line):
                return Answer("resign", seconds)
            if found := RESULT.match(line):
                if found[1] == "1/2-1/2" and board.can_claim_draw():
                    return Answer("draw", seconds)
                lost = "0-1" if board.turn == chess.WHITE else "1-0"
                if found[1] == lost:
                    return Answer("resign", seconds)
                raise Fault(f"claims what is not so: {line}")
            return None

        answer = self.await_move(board, clock, understand)
        self.sent += answer.kind == "move"
        return answer

    @staticmethod
    def read_move(board, text):
        try:
            return board.parse_uci(text)
        except ValueError:
            pass
        try:
            return board.parse_san(text)
        except ValueError:
            raise Fault(f"illegal move: {text}") from None

    def finish(self, result):
        self.line.send(f"result {result}", "force")
        self.thinks = False


def open_engine(text, nice=0):
    """Starts the program that `text` names.

    `[uci:|xboard:]COMMAND[?Name=Value&Name=Value]`, or the name of one of
    `OPPONENTS`. Without a prefix UCI is spoken.
    """
    text = OPPONENTS.get(text, text)
    protocol = UciEngine
    for prefix, kind in (("uci:", UciEngine), ("xboard:", XboardEngine), ("cmd:", UciEngine)):
        if text.startswith(prefix):
            protocol, text = kind, text[len(prefix) :]
    command, mark, options = text.rpartition("?")
    if not mark:
        command, options = text, ""
    pairs = {}
    for pair in filter(None, options.split("&")):
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"an option needs `Name=Value`: {pair}")
        pairs[urllib.parse.unquote(name)] = urllib.parse.unquote(value)
    if not command.strip():
        raise ValueError(f"an engine needs a command: {text}")
    return protocol(command, pairs, nice)
