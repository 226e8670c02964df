# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file uses the internals of Mercurial and is therefore distributed under
# the terms of the GNU General Public License, version 2 or any later version.
# The rest of Trunkline is separate from it: it runs this file as a program.
"""Runs one command of Mercurial in a child of trunkline_serve.py, and sends what the command prints."""

import io
import struct

from mercurial import dispatch

PIECE_BYTES = 64 * 1024
LOGGED_BYTES_MAX = 4_000


class Output(io.RawIOBase):
    """Stdout of the command: pieces of the answer. A reader that has gone ends the process."""

    def __init__(self, send):
        super().__init__()
        self._send = send

    def writable(self):
        return True

    def write(self, data):
        for at in range(0, len(data), PIECE_BYTES):
            self._send(bytes(data[at : at + PIECE_BYTES]))
        return len(data)


class Errors(io.RawIOBase):
    """Stderr of the command, of which the end is kept for the log."""

    def __init__(self):
        super().__init__()
        self.text = b''

    def writable(self):
        return True

    def write(self, data):
        self.text = (self.text + bytes(data))[-LOGGED_BYTES_MAX:]
        return len(data)


def run(arguments, send):
    """Runs a command, whose words NUL separates, as a process of its own would; returns its exit code and stderr."""
    errors = Errors()
    with io.BufferedWriter(Output(send), PIECE_BYTES) as output:
        request = dispatch.request(arguments.split(b'\0'), fin=io.BytesIO(), fout=output, ferr=errors)
        code = dispatch.dispatch(request)
    # As the exit code of a process.
    return code & 255, errors.text


def answer(arguments, connection):
    connection.send(b't')
    code, text = run(arguments, lambda piece: connection.send(b'o', piece))
    connection.send(b'x', struct.pack('>i', code) + text)


def check_commands(check, path, node):
    """Runs those commands of which much is printed: that loads what they need."""
    for words, part in (
        ([b'export', b'--git', b'--rev=' + node], b'diff --git'),
        ([b'archive', b'--rev=' + node, b'--type=tar', b'--', b'-'], b'content\n'),
        ([b'archive', b'--rev=' + node, b'--type=zip', b'--', b'-'], b'PK'),
        ([b'cat', b'--rev=' + node, b'--', b'path:file'], b'content\n'),
        ([b'status', b'--change=' + node, b'--print0'], b'A file\0'),
    ):
        pieces = []
        code, text = run(b'\0'.join([b'--repository=' + path, *words]), pieces.append)
        check(code == 0 and part in b''.join(pieces), b'%s: %s' % (words[0], text))
