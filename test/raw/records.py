"""Message records as pulls return them, batch bodies as producers send them, property strings, Java's string hash."""

import struct
import zlib

MAGIC = {0xDAA320A7: 1, 0xDAA320AB: 2}  # Width of the topic's length.
COMPRESSED, PREPARED, COMMIT, ROLLBACK, BORN_V6, STORE_V6 = 0x1, 0x4, 0x8, 0xC, 0x10, 0x20
NAME_END, VALUE_END = "\x01", "\x02"


def java_hash(text):
    value = 0
    for unit in struct.unpack(f">{len(text.encode('utf-16-be')) // 2}H", text.encode("utf-16-be")):
        value = (31 * value + unit) & 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


def encode_properties(properties, end_mark=True):
    text = "".join(f"{name}{NAME_END}{value}{VALUE_END}" for name, value in properties.items())
    return text if end_mark else text[:-1]


def decode_properties(text):
    found = {}
    for pair in text.split(VALUE_END):
        name, _, value = pair.partition(NAME_END)
        if name and value:  # Others are skipped by every client.
            found[name] = value
    return found


def encode_batch(messages):
    """`messages`: (body, property string) pairs. The two fields after the size are ignored by servers."""
    out = b""
    for body, properties in messages:
        raw = properties.encode() if isinstance(properties, str) else properties
        out += struct.pack(">iiiii", 4 * 5 + len(body) + 2 + len(raw), 0, 0, 0, len(body)) + body
        out += struct.pack(">H", len(raw)) + raw
    return out


class Record:
    """One stored message. `bytes` is the record as stored."""

    def __repr__(self):
        return f"Record({self.topic}[{self.queue_id}]@{self.queue_offset}, log {self.log_offset})"


def _host(data, at, v6):
    size = 16 if v6 else 4
    raw, port = data[at:at + size], struct.unpack_from(">i", data, at + size)[0]
    text = ".".join(map(str, raw)) if not v6 else ":".join(f"{raw[i] << 8 | raw[i + 1]:x}" for i in range(0, 16, 2))
    return f"{text}|{port}", at + size + 4


def decode_record(data, at=0):
    """The record at `at` and where it ends. ValueError if it is not whole or its checksum is wrong."""
    if len(data) - at < 8:
        raise ValueError(f"{len(data) - at} bytes where a record should be")
    size, magic = struct.unpack_from(">iI", data, at)
    if magic not in MAGIC or size > len(data) - at or size < 60:
        raise ValueError(f"size {size}, magic {magic:#x} with {len(data) - at} bytes left")
    record, start = Record(), at
    record.bytes, record.magic = bytes(data[at:at + size]), magic
    (record.crc, record.queue_id, record.flag, record.queue_offset, record.log_offset, record.sys_flag,
     record.born_time) = struct.unpack_from(">iiiqqiq", data, at + 8)
    record.born_host, at = _host(data, at + 48, record.sys_flag & BORN_V6)
    record.store_time, = struct.unpack_from(">q", data, at)
    record.store_host, at = _host(data, at + 8, record.sys_flag & STORE_V6)
    record.reconsume_times, record.prepared_offset, length = struct.unpack_from(">iqi", data, at)
    at += 16
    record.body = bytes(data[at:at + length])
    at += length
    if MAGIC[magic] == 1:
        length, at = data[at], at + 1
    else:
        length, at = struct.unpack_from(">H", data, at)[0], at + 2
    record.topic = bytes(data[at:at + length]).decode()
    at += length
    length, = struct.unpack_from(">H", data, at)
    record.property_text = bytes(data[at + 2:at + 2 + length]).decode("utf-8", "replace")
    record.properties = decode_properties(record.property_text)
    if at + 2 + length != start + size:
        raise ValueError(f"the parts end at {at + 2 + length - start}, the record at {size}")
    if record.body and zlib.crc32(record.body) & 0x7FFFFFFF != record.crc:
        raise ValueError("wrong body checksum")
    return record, start + size


def decode_records(data):
    found, at = [], 0
    while at < len(data):
        record, at = decode_record(data, at)
        found.append(record)
    return found


def message_id(address, log_offset):
    """The id that view-by-offset clients take apart again: host, port, log offset."""
    host = bytes(int(part) for part in address[0].split("."))
    return (host + struct.pack(">iq", address[1], log_offset)).hex().upper()
