"""Records of a data set (`docs/formats.md`), so that a difference names position and field.

The records are one Zstandard frame. Python can read it if the system has the library
libzstd; if not, the caller compares the compressed bytes, which is as strict.
"""

import ctypes
import ctypes.util
import struct

CHUNK = 1 << 20


class Buffer(ctypes.Structure):
    """`ZSTD_inBuffer` and `ZSTD_outBuffer`."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


def decompress(data):
    """The contents of a Zstandard frame, or None without the library.

    Raises ValueError if the frame is damaged.
    """
    name = ctypes.util.find_library("zstd")
    if not name:
        return None
    zstd = ctypes.CDLL(name)
    zstd.ZSTD_createDStream.restype = ctypes.c_void_p
    zstd.ZSTD_freeDStream.argtypes = [ctypes.c_void_p]
    zstd.ZSTD_decompressStream.argtypes = [ctypes.c_void_p, ctypes.POINTER(Buffer), ctypes.POINTER(Buffer)]
    zstd.ZSTD_decompressStream.restype = ctypes.c_size_t
    zstd.ZSTD_isError.argtypes = [ctypes.c_size_t]
    source = ctypes.create_string_buffer(data, len(data))
    target = ctypes.create_string_buffer(CHUNK)
    given = Buffer(ctypes.cast(source, ctypes.c_void_p), len(data), 0)
    stream, result = zstd.ZSTD_createDStream(), bytearray()
    try:
        while True:
            taken = Buffer(ctypes.cast(target, ctypes.c_void_p), CHUNK, 0)
            before = given.pos
            wanted = zstd.ZSTD_decompressStream(stream, ctypes.byref(taken), ctypes.byref(given))
            if zstd.ZSTD_isError(wanted):
                raise ValueError("the records are damaged")
            result += target.raw[: taken.pos]
            if wanted == 0:
                return bytes(result)
            if given.pos == before and taken.pos == 0:
                raise ValueError("the records end too early")
    finally:
        zstd.ZSTD_freeDStream(stream)


class Bytes:
    """Bytes that are read from their beginning."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        part = self.data[self.at : self.at + count]
        if len(part) < count:
            raise ValueError("a record ends too early")
        self.at += count
        return part

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def is_over(self):
        return self.at >= len(self.data)


def records(data):
    """The records of uncompressed bytes, as dictionaries."""
    source, game, found = Bytes(data), 0, []
    while not source.is_over():
        zigzag = shift = 0
        while True:
            byte = source.number("B")
            zigzag |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        game += (zigzag >> 1) ^ -(zigzag & 1)
        flags = source.number("B")
        record = {"game": game, "result": flags >> 2 & 3, "position": position(source)}
        if flags & 1:
            record["score"] = source.number("h")
        if flags & 2:
            record["best"] = source.number("H")
        if flags & 16:
            record["ratings"] = [source.number("H"), source.number("H")]
            count = source.number("B")
            if count:
                record["before"] = position(source)
                record["moves"] = [source.number("H") for _ in range(count)]
        found.append(record)
    return found


def position(source):
    """A position: occupied squares, pieces, side to move and counters, as hexadecimal digits."""
    occupied = source.take(8)
    count = int.from_bytes(occupied, "little").bit_count()
    return " ".join(part.hex() for part in (occupied, source.take((count + 1) // 2), source.take(4)))
