"""Opens a Belfry store for writing. Each connection must register the function row_checksum, with which SQLite
generates a column of the store's tables (docs/decisions/0020)."""
import sqlite3
import struct

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def crc32c(crc, data):
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 0xFF]
    return crc


def encoded(value):
    """Returns the type, as SQLite numbers it; the number or the length; and the bytes of a text or blob."""
    if value is None:
        return b"\5" + bytes(8)
    if isinstance(value, int):
        return b"\1" + (value & (1 << 64) - 1).to_bytes(8, "little")
    if isinstance(value, float):
        return b"\2" + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return (b"\3" if isinstance(value, str) else b"\4") + len(data).to_bytes(8, "little") + data


def row_checksum(keys, *values):
    key = crc32c(0xFFFFFFFF, b"".join(map(encoded, values[:keys])))
    row = crc32c(key, b"".join(map(encoded, values[keys:])))
    # As in C, the high half depends only on the key; without a key, it is zero.
    high = key ^ 0xFFFFFFFF if keys else 0
    number = high << 32 | row ^ 0xFFFFFFFF
    return number - (1 << 64) if number >> 63 else number


def connect(path):
    store = sqlite3.connect(path)
    store.create_function("row_checksum", -1, row_checksum, deterministic=True)
    return store
