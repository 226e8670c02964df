# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file runs inside Mercurial with trunkline_serve.py and is distributed under the same terms: the GNU General Public
# License, version 2 or any later version.
"""Forks a child for each connection to a Unix socket.

The child is killed when its connection is closed, and with its parent. The parent stops to listen when its stdin is
closed, and ends after its last child.

A request is a JSON object behind its length, then the arguments in pieces behind their lengths, then a length of 0.
An answer is a sequence of messages, each a letter, a length, and that many bytes:

p  the id of the process that answers
t  media type of the answer
o  a piece of the answer
q  asks whether a push may become visible; the other end answers with a piece behind its length
c  a push has become visible
f  why a push has not become visible, for its client
w  what went wrong with an answer whose reader has been told so, for the log
z  end of a complete answer
x  end of what a command has printed: its exit code and what it has written to stderr
e  why there is none, for the log
k  the name of the signal by which the process has ended, sent by its parent
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import struct
import traceback

REQUEST_BYTES_MAX = 64 * 1024
ARGUMENT_BYTES_MAX = 9 * 1024 * 1024
PIECE_BYTES_MIN = 32 * 1024
PIECE_BYTES_MAX = 256 * 1024
LOGGED_CHARS_MAX = 4_000
PR_SET_PDEATHSIG = 1


def logged_error():
    return traceback.format_exc()[-LOGGED_CHARS_MAX:].encode('utf-8', 'replace')


class Connection:
    def __init__(self, connected):
        self._connected = connected

    def _read(self, count):
        pieces = []
        while count > 0:
            piece = self._connected.recv(min(count, PIECE_BYTES_MAX))
            if not piece:
                raise EOFError('the worker has closed the connection')
            pieces.append(piece)
            count -= len(piece)
        return b''.join(pieces)

    def _read_piece(self, bytes_max):
        (length,) = struct.unpack('>I', self._read(4))
        if length > bytes_max:
            raise ValueError('a request of %d bytes' % length)
        return self._read(length)

    def read_request(self):
        head = json.loads(self._read_piece(REQUEST_BYTES_MAX))
        pieces = []
        left = ARGUMENT_BYTES_MAX
        while True:
            piece = self._read_piece(left)
            if not piece:
                return head, b''.join(pieces)
            pieces.append(piece)
            left -= len(piece)

    def read_answer(self):
        return self._read_piece(REQUEST_BYTES_MAX)

    def send(self, letter, data=b''):
        self._connected.sendall(struct.pack('>cI', letter, len(data)) + data)

    def send_chunks(self, chunks):
        held = []
        size = 0
        for chunk in chunks:
            held.append(chunk)
            size += len(chunk)
            if size >= PIECE_BYTES_MIN:
                self._send_output(b''.join(held))
                held = []
                size = 0
        self._send_output(b''.join(held))

    def _send_output(self, data):
        for at in range(0, len(data), PIECE_BYTES_MAX):
            self.send(b'o', data[at : at + PIECE_BYTES_MAX])


def limit(what, wanted, grace=0):
    hard = resource.getrlimit(what)[1]
    soft, after_grace = (value if hard == resource.RLIM_INFINITY else min(hard, value) for value in (wanted, wanted + grace))
    resource.setrlimit(what, (soft, after_grace))


def run_child(answer, connected):
    """Answers one request and ends this process."""
    connection = Connection(connected)
    try:
        connection.send(b'p', b'%d' % os.getpid())
        answer(connection)
    except (BrokenPipeError, ConnectionError, EOFError):
        pass
    except BaseException:
        with contextlib.suppress(OSError):
            connection.send(b'e', logged_error())
    finally:
        os._exit(0)


class Child:
    def __init__(self, pid, connected):
        self.pid = pid
        self.connected = connected
        self.is_ended = False
        self.is_left = False


class ForkServer:
    """The parent: it reads nothing of a request, so that nothing that a client sends can change it."""

    def __init__(self, answer, path):
        self._answer = answer
        self._path = path
        self._pid = os.getpid()
        self._children = {}
        self._poll = select.poll()
        self._prctl = getattr(ctypes.CDLL(None), 'prctl', None)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._woken, self._wake = os.pipe()

    def listen(self):
        os.set_blocking(self._woken, False)
        os.set_blocking(self._wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        self._listener.bind(self._path)
        self._listener.listen(512)
        self._listener.setblocking(False)
        for descriptor in (self._listener.fileno(), self._woken, 0):
            self._poll.register(descriptor, select.POLLIN)

    def run(self):
        is_listening = True
        while is_listening or self._children:
            for descriptor, _events in self._poll.poll():
                if descriptor == 0:
                    is_listening = False
                    self._poll.unregister(0)
                    self._poll.unregister(self._listener.fileno())
                    self._listener.close()
                elif is_listening and descriptor == self._listener.fileno():
                    self._accept()
                elif descriptor == self._woken:
                    self._note_ended()
                elif descriptor in self._children:
                    self._leave(self._children[descriptor])

    def _accept(self):
        try:
            connected, _address = self._listener.accept()
        except OSError:
            return
        connected.setblocking(True)
        try:
            pid = os.fork()
        except OSError:
            connected.close()
            return
        if pid == 0:
            self._become_child(connected)
        self._children[connected.fileno()] = Child(pid, connected)
        self._poll.register(connected.fileno(), 0)

    def _become_child(self, connected):
        try:
            if self._prctl is not None:
                self._prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != self._pid:
                os._exit(1)
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._listener.close()
            os.close(self._woken)
            os.close(self._wake)
            for other in self._children.values():
                other.connected.close()
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            os.dup2(null, 1)
            run_child(self._answer, connected)
        finally:
            os._exit(1)

    def _note_ended(self):
        with contextlib.suppress(BlockingIOError):
            while os.read(self._woken, 512):
                pass
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT
        for child in list(self._children.values()):
            ending = None if child.is_ended else os.waitid(os.P_PID, child.pid, how)
            if ending is not None:
                child.is_ended = True
                if ending.si_code != os.CLD_EXITED:
                    self._tell_signal(child, ending.si_status)
                # The process id stays taken until the worker has closed its end and sends no signals any more.
                with contextlib.suppress(OSError):
                    child.connected.shutdown(socket.SHUT_WR)
                self._forget_ended(child)

    def _tell_signal(self, child, number):
        # Nothing keeps this process waiting; behind a part of a message, which tells as much, it is none.
        with contextlib.suppress(OSError, ValueError):
            name = signal.Signals(number).name.encode('ascii')
            child.connected.send(struct.pack('>cI', b'k', len(name)) + name, socket.MSG_DONTWAIT)

    def _leave(self, child):
        """The worker has closed its end: nobody wants the answer."""
        self._poll.unregister(child.connected.fileno())
        child.is_left = True
        if not child.is_ended:
            os.kill(child.pid, signal.SIGKILL)
        self._forget_ended(child)

    def _forget_ended(self, child):
        if child.is_ended and child.is_left:
            os.waitpid(child.pid, 0)
            del self._children[child.connected.fileno()]
            child.connected.close()
