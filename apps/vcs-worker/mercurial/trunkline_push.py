# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file uses the internals of Mercurial and is therefore distributed under
# the terms of the GNU General Public License, version 2 or any later version.
# The rest of Trunkline is separate from it: it runs this file as a program.
"""Applies what Mercurial clients push, in a process of its own for each push.

The worker is asked before a transaction closes, and permits it only as long as nobody else may write. Of a bundle, only
the parts below are read: others make a server fetch URLs, or write files that a client has named.
"""

import hashlib
import re

from mercurial import (
    bundle2,
    error,
    exchange,
    pushkey,
    pycompat,
    scmutil,
    wireprotoserver,
    wireprototypes,
    wireprotov1server,
)

import trunkline_fork_server as fork_server

COMMANDS = (b'unbundle', b'pushkey')
PARTS = frozenset(
    (
        b'replycaps changegroup phase-heads bookmarks pushkey'
        b' check:heads check:updated-heads check:bookmarks check:phases'
    ).split()
)
NAMESPACES = (b'bookmarks', b'phases')
CHANGEGROUP_PARAMS = frozenset((b'version', b'nbchanges', b'targetphase'))
CHANGEGROUP_VERSIONS = (b'01', b'02')
BOOKMARKS_MAX = 50_000
BOOKMARK_BYTES_MAX = 255
FAILURE_CHARS_MAX = 500
PIECE_BYTES = 256 * 1024
# The words `force` and `hashed` in hexadecimal digits, as clients send them instead of a list of heads.
HEADS = re.compile(b'666f726365|686173686564 [0-9a-f]{40}|[0-9a-f]{40}(?: [0-9a-f]{40})*|')

EMPTY_BUNDLE = b'HG20' + bytes(8)

# The pushing commands, which no table has that clients reach.
entries = {}


class NotApplied(Exception):
    """A push that may not be applied, for a reason that is the client's."""


def guard_changegroup(orig):
    def handle(op, inpart):
        # Others would change the format of the store.
        if not CHANGEGROUP_PARAMS.issuperset(inpart.params):
            raise error.BundleUnknownFeatureError(parttype=b'changegroup', params=sorted(inpart.params))
        if inpart.params.get(b'version', b'01') not in CHANGEGROUP_VERSIONS:
            raise error.BundleUnknownFeatureError(parttype=b'changegroup', params=[b'version'])
        return orig(op, inpart)

    handle.params = orig.params
    return handle


def guard_pushkey(orig):
    def push(repo, namespace, key, old, new):
        if namespace not in NAMESPACES:
            raise error.Abort(b'only bookmarks and phases are served here')
        return orig(repo, namespace, key, old, new)

    return push


def ignore_pushvars(op, inpart):
    """Tells the client that its variables, which stock servers give to hooks, do nothing."""
    if op.reply is not None:
        op.reply.newpart(b'output', data=b'Push variables have no effect here\n', mandatory=False)


ignore_pushvars.params = frozenset()


def extsetup():
    for name in COMMANDS:
        entries[name] = wireprotov1server.commands[name]
    for name in set(bundle2.parthandlermapping) - PARTS:
        del bundle2.parthandlermapping[name]
    handlers = bundle2.parthandlermapping
    handlers[b'changegroup'] = guard_changegroup(handlers[b'changegroup'])
    handlers[b'pushvars'] = ignore_pushvars
    # A server that announces these is asked to fetch URLs that a client has chosen.
    for capability in (b'remote-changegroup', b'digests'):
        bundle2.capabilities.pop(capability, None)
    pushkey.push = guard_pushkey(pushkey.push)


def require_bookmarks(repo, changes):
    """Refuses names that would change the list of bookmarks in other ways than by one line."""
    for name, (_old, new) in changes.items():
        if new is None:
            continue
        scmutil.checknewlabel(repo, name, b'bookmark')
        try:
            is_text = name.decode('utf-8').isprintable()
        except UnicodeDecodeError:
            is_text = False
        if not name or not is_text or len(name) > BOOKMARK_BYTES_MAX:
            raise error.Abort(
                b'the name of a bookmark must be printable UTF-8 of at most %d bytes' % BOOKMARK_BYTES_MAX
            )
        if len(repo._bookmarks) > BOOKMARKS_MAX:
            raise error.Abort(b'a repository has at most %d bookmarks' % BOOKMARKS_MAX)


class Gate:
    """Asks before a transaction closes, and notes what has become of it."""

    def __init__(self, ask):
        self._ask = ask
        self.is_closed = False
        self.failure = None

    def watch(self, ui):
        ui.setconfig(b'hooks', b'pretxnclose.push', self._before_close, b'trunkline')
        # The worker syncs what has been written, and nobody needs a second copy of the bundle.
        ui.setconfig(b'server', b'streamunbundle', b'True', b'trunkline')

    def _before_close(self, ui, repo, **_args):
        transaction = repo.currenttransaction()
        require_bookmarks(repo, transaction.changes[b'bookmarks'])
        if not self._ask():
            raise error.Abort(b'the push may not become visible any more')
        transaction.addpostclose(b'trunkline', self._note_closed)

    def _note_closed(self, _transaction):
        self.is_closed = True

    def note_failure(self, failure):
        self.failure = pycompat.bytestr(failure)[:FAILURE_CHARS_MAX]


def noting(gate, root):
    """Returns `exchange.unbundle` so that its errors are known; Mercurial makes answers of them."""
    orig = exchange.unbundle

    def unbundle(*args, **kwargs):
        try:
            return orig(*args, **kwargs)
        except Exception as failure:
            if root in pycompat.bytestr(failure):
                raise RuntimeError('a failure that clients are not shown') from failure
            gate.note_failure(failure)
            raise

    return unbundle


def chunks_of(path):
    with open(path, 'rb') as spooled:
        while True:
            chunk = spooled.read(PIECE_BYTES)
            if not chunk:
                return
            yield chunk


def decode_heads(value, sep=b' '):
    if sep != b' ' or not HEADS.fullmatch(value):
        raise NotApplied(b'the heads are malformed')
    return [bytes.fromhex(word.decode('ascii')) for word in value.split()]


def run(repo, proto, name, gate):
    """Returns media type and chunks of the answer to a pushing command."""
    entry = entries[name]
    served = wireprotov1server.getdispatchrepo(repo, proto, name)
    gate.watch(served.ui)
    decode, unbundle = wireprototypes.decodelist, exchange.unbundle
    wireprototypes.decodelist, exchange.unbundle = decode_heads, noting(gate, repo.root)
    try:
        result = entry.func(served, proto, *proto.getargs(entry.args))
        # The parts of an answer are made while it is read.
        if isinstance(result, (wireprototypes.streamreslegacy, wireprototypes.streamres)):
            return wireprotoserver.HGTYPE, list(result.gen)
    except NotApplied as refused:
        gate.note_failure(refused.args[0])
        return wireprotoserver.HGERRTYPE, [refused.args[0] + b'\n']
    except error.Abort as refused:
        # Mercurial answers `pushkey` in this way with an error of the server.
        if repo.root in pycompat.bytestr(refused):
            raise
        gate.note_failure(refused)
        return wireprotoserver.HGTYPE, [b'0\n' + pycompat.bytestr(refused) + b'\n']
    finally:
        wireprototypes.decodelist, exchange.unbundle = decode, unbundle
    if isinstance(result, wireprototypes.bytesresponse):
        if not gate.is_closed and result.data.startswith(b'0\n'):
            gate.note_failure(b'the repository has changed meanwhile, or the value is not accepted')
        return wireprotoserver.HGTYPE, [result.data]
    if isinstance(result, wireprototypes.pusherr):
        # The heads are others than those that the client has seen.
        gate.note_failure(result.res)
        return wireprotoserver.HGTYPE, [b'0\n' + result.res + b'\n']
    if gate.is_closed:
        # The client did not ask for an answer.
        return wireprotoserver.HGTYPE, [EMPTY_BUNDLE]
    # All others answer bundles of the first kind, and those that cannot be read.
    if gate.failure is None:
        gate.note_failure(b'the bundle is malformed, or of a kind that is not served here')
    return wireprotoserver.HGERRTYPE, [gate.failure + b'\n']


def digest(repo):
    """Returns a digest of all that a push can change."""
    repo = repo.unfiltered()
    lines = [b'head ' + head.hex().encode('ascii') for head in repo.heads()]
    lines += [b'bookmark ' + name + b' ' + node.hex().encode('ascii') for name, node in repo._bookmarks.items()]
    for phase in (b'draft', b'secret'):
        lines += [phase + b' ' + repo[rev].hex() for rev in repo.revs(b'roots(%s())' % phase)]
    return hashlib.sha256(b'\n'.join(sorted(lines))).hexdigest().encode('ascii')


def success_of(ui, path):
    """Returns the chunks of an answer that tells a client that all parts of its bundle were applied."""
    reply, is_asked = bundle2.bundle20(ui), False
    with open(path, 'rb') as spooled:
        for part in exchange.readbundle(ui, spooled, None).iterparts():
            name = part.type.lower()
            is_asked = is_asked or name == b'replycaps'
            # Clients look for the answers to these parts.
            if name in (b'changegroup', b'pushkey'):
                answer = reply.newpart(b'reply:' + name, mandatory=False)
                answer.addparam(b'in-reply-to', b'%d' % part.id, mandatory=False)
                answer.addparam(b'return', b'1', mandatory=False)
    return list(reply.getchunks()) if is_asked else [EMPTY_BUNDLE]


def send_success(ui, path, connection):
    connection.send(b't', wireprotoserver.HGTYPE)
    connection.send_chunks(success_of(ui, path))
    connection.send(b'z')


def send_digest(repo, connection):
    connection.send(b't', wireprotoserver.HGTYPE)
    connection.send(b'o', digest(repo))
    connection.send(b'z')


def apply(repo, proto, name, connection):
    """Answers a pushing command over the connection, on which the worker is asked too."""

    def ask():
        connection.send(b'q')
        return connection.read_answer() == b'go'

    gate = Gate(ask)
    media, chunks = run(repo, proto, name, gate)
    connection.send(b't', media)
    connection.send_chunks(chunks)
    if gate.is_closed:
        connection.send(b'c')
    if gate.failure is not None:
        connection.send(b'f', gate.failure)
    connection.send(b'z')
