# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file uses the internals of Mercurial and is therefore distributed under
# the terms of the GNU General Public License, version 2 or any later version.
# The rest of Trunkline is separate from it: it runs this file as a program.
"""Answers Mercurial clients, in a process of its own for each request; trunkline_push.py answers those that push, and
trunkline_command.py runs commands.

`hg trunkline-serve SOCKET` loads Mercurial once and listens on a Unix socket, as trunkline_fork_server.py does: each child
reads one request, opens the one repository that it names, and writes the answer.
"""

import gc
import os
import re
import resource
import shutil
import struct
import sys
import urllib.parse

from mercurial import (
    bundle2,
    error,
    exchange,
    hg,
    pycompat,
    registrar,
    wireprotoserver,
    wireprototypes,
    wireprotov1server,
)

# Mercurial loads this file by its path alone.
sys.path.insert(0, os.path.dirname(__file__))
import trunkline_command as own_command
import trunkline_fork_server as fork_server
import trunkline_push as push
import trunkline_self_attack as self_attack

cmdtable = {}
command = registrar.command(cmdtable)
testedwith = b'6.3.2'

READ_COMMANDS = frozenset(
    b'batch between branches branchmap capabilities changegroup changegroupsubset getbundle heads hello'.split()
    + b'known listkeys lookup protocaps'.split()
)
BATCH_COMMANDS_MAX = 1_000
# Twice as many ids are 41 KB, beside which the 64 KB of the gateway's headers hold what else a request needs.
HEADS_IN_HEADERS_MAX = 500

ID_LIST = {separator: re.compile(b'(?:[0-9a-f]{40}(?:%s[0-9a-f]{40})*)?' % separator) for separator in (b' ', b'-')}

# Errors about which a client was told within its answer.
told_errors = []


class Refused(Exception):
    """A request that gets no answer; the text is for the client."""


class Unreadable(Exception):
    """A repository that cannot be read, after the client has been told so."""


class Request(wireprotoserver.httpv1protocolhandler):
    """One request, of which neither the connection nor the headers are here."""

    def __init__(self, ui, caps, arguments, spool=None):
        super().__init__(None, ui, None)
        self._spool = spool
        self._protocaps = set(caps.split(b' '))
        self._arguments = arguments

    def _args(self):
        arguments = {}
        for pair in self._arguments.split(b'&'):
            name, _equals, value = (urllib.parse.unquote_to_bytes(word.replace(b'+', b' ')) for word in pair.partition(b'='))
            arguments.setdefault(name, []).append(value)
        return arguments

    def getargs(self, args):
        try:
            return super().getargs(args)
        except KeyError as missing:
            name = missing.args[0]
            raise Refused(b'The request lacks the argument `%s`' % pycompat.bytestr(name))

    def getpayload(self):
        if self._spool is None:
            raise Refused(b'The request has no body')
        return push.chunks_of(self._spool)

    def client(self):
        return b'remote:http::'

    def addcapabilities(self, repo, caps):
        # A client that sends arguments in the body of a push cannot repeat it: the bundle is missing once it was asked
        # for a login, or its kept connection was closed.
        if len(repo.heads()) > HEADS_IN_HEADERS_MAX:
            caps.append(b'httppostargs')
        return super().addcapabilities(repo, caps)

    def checkperm(self, perm):
        if perm != b'pull':
            raise Refused(b'Commands that write are not served here')


def decode_ids(value, sep=b' '):
    """Takes full ids alone; others would be looked up in ways that differ by command."""
    if sep not in ID_LIST or not ID_LIST[sep].fullmatch(value):
        raise Refused(b'Ids must be complete and in lower case')
    return [bytes.fromhex(word.decode('ascii')) for word in value.split(sep)] if value else []


def lookup(repo, proto, key):
    """Answers as Mercurial does, but shows the client no error except that of an unknown name."""
    try:
        found = b'1 %s\n' % repo.lookup(key.decode('utf-8').encode('utf-8')).hex().encode('ascii')
    except (error.RepoLookupError, error.LookupError, UnicodeError):
        found = b"0 unknown revision '%s'\n" % key
    return wireprototypes.bytesresponse(found)


def guard_batch(orig):
    def batch(repo, proto, cmds, others):
        if cmds.count(b';') >= BATCH_COMMANDS_MAX:
            raise Refused(b'A batch has at most %d commands' % BATCH_COMMANDS_MAX)
        for pair in cmds.split(b';'):
            name = pair.split(b' ', 1)[0]
            if b' ' not in pair or name == b'batch' or name not in wireprotov1server.commands:
                raise Refused(b'The batch has a command that is not served here')
            proto.checkperm(wireprotov1server.commands[name].permission)
            if any(a and a.count(b'=') != 1 for a in pair.split(b' ', 1)[1].split(b',')):
                raise Refused(b'The batch is malformed')
        try:
            return orig(repo, proto, cmds, others)
        except KeyError as missing:
            if isinstance(missing, error.LookupError):
                raise
            raise Refused(b'A command of the batch lacks an argument')

    return batch


def guard_part(orig):
    def payload(self):
        # Mercurial would send the text of any error to the client, with paths of this machine.
        try:
            for chunk in orig(self):
                yield chunk
        except GeneratorExit:
            raise
        except BaseException:
            told_errors.append(fork_server.logged_error())
            raise Unreadable('the repository cannot be read')

    return payload


def guard_bundle(orig):
    def chunks(repo, *args, **kwargs):
        try:
            return orig(repo, *args, **kwargs)
        except error.Abort as refusal:
            # Mercurial sends the text of an Abort to the client, and no other.
            if repo.root in pycompat.bytestr(refusal):
                raise Unreadable(str(refusal))
            raise

    return chunks


def replace_command(name, wrap):
    entry = wireprotov1server.commands[name]
    wireprotov1server.commands[name] = (wrap(entry.func), entry.args)


def extsetup(ui):
    push.extsetup()
    for name in set(wireprotov1server.commands) - READ_COMMANDS:
        del wireprotov1server.commands[name]
    replace_command(b'batch', guard_batch)
    replace_command(b'lookup', lambda orig: lookup)
    wireprototypes.decodelist = decode_ids
    bundle2.bundlepart._payloadchunks = guard_part(bundle2.bundlepart._payloadchunks)
    exchange.getbundlechunks = guard_bundle(exchange.getbundlechunks)


def until_told(chunks):
    """Ends after an error that is part of what the chunks say; the client knows then that something is missing."""
    try:
        for chunk in chunks:
            yield chunk
    except Unreadable:
        pass


def answer_of(repo, name, caps, arguments):
    """Returns media type and chunks of the answer to one request, as hgweb gives them."""
    proto = Request(repo.ui, caps, arguments)
    if name not in READ_COMMANDS:
        raise Refused(b'The command is not served here')
    proto.checkperm(wireprotov1server.commands[name].permission)
    result = wireprotov1server.dispatch(repo, proto, name)
    if isinstance(result, (bytes, wireprototypes.bytesresponse)):
        return wireprotoserver.HGTYPE, [getattr(result, 'data', result)]
    if isinstance(result, wireprototypes.ooberror):
        return wireprotoserver.HGERRTYPE, [result.message]
    if not isinstance(result, wireprototypes.streamres):
        raise error.ProgrammingError(b'unexpected answer to %s' % name)
    media, engine, options = wireprotoserver._httpresponsetype(repo.ui, proto, result.prefer_uncompressed)
    return media, compressed(until_told(result.gen), media, engine, options)


def compressed(chunks, media, engine, options):
    if media == wireprotoserver.HGTYPE2:
        name = engine.wireprotosupport().name
        yield struct.pack('B', len(name)) + name
    for chunk in engine.compressstream(chunks, options):
        yield chunk


def refusing(answer, *args):
    try:
        return answer(*args)
    except Refused as refused:
        return wireprotoserver.HGERRTYPE, [refused.args[0] + b'\n']


def answer_request(ui, connection):
    head, arguments = connection.read_request()
    # By SIGXCPU first: SIGKILL, which comes a second later, is also what others send.
    fork_server.limit(resource.RLIMIT_CPU, head['cpuSeconds'], grace=1)
    fork_server.limit(resource.RLIMIT_FSIZE, head['fileBytes'])
    if head['kind'] == 'command':
        return own_command.answer(arguments, connection)
    repo = hg.repository(ui, os.fsencode(head['path']))
    if head['kind'] == 'digest':
        return push.send_digest(repo, connection)
    if head['kind'] == 'success':
        return push.send_success(repo.ui, os.fsencode(head['spool']), connection)
    name, caps = head['command'].encode('ascii'), head['caps'].encode('ascii')
    if head['kind'] == 'push':
        return push.apply(repo, Request(repo.ui, caps, arguments, os.fsencode(head['spool'])), name, connection)
    media, chunks = refusing(answer_of, repo, name, caps, arguments)
    connection.send(b't', media)
    connection.send_chunks(chunks)
    for text in told_errors:
        connection.send(b'w', text)
    connection.send(b'z')


def check(is_right, what):
    if not is_right:
        raise error.Abort(b'this version of Mercurial cannot serve clients: %s' % what)


def warm_up(ui, path):
    """Serves requests on a small repository: that loads what children need, and shows that internals are as expected."""
    hg.repository(ui, path, create=True)
    try:
        node = self_attack.make_changeset(ui, path)
        repo = hg.repository(ui, path)
        ask = lambda name, arguments=b'', caps=b'': refusing(answer_of, repo, name, caps, arguments)
        plain, refused = wireprotoserver.HGTYPE, wireprotoserver.HGERRTYPE

        media, chunks = ask(b'capabilities')
        capabilities = urllib.parse.unquote_to_bytes(b''.join(chunks)).split()
        check(media == plain and b'getbundle' in capabilities, b'capabilities')
        words = [word.split(b'=')[0].split(b':')[0] for word in capabilities]
        unwanted = (b'remote-changegroup', b'digests', b'stream', b'streamreqs', b'clonebundles', b'httppostargs')
        check(not set(unwanted) & set(words), b'unwanted capabilities')

        check(ask(b'heads') == (plain, [node + b'\n']), b'heads')
        check(ask(b'batch', b'cmds=heads+%3Bknown+nodes%3D' + node) == (plain, [node + b'\n;1']), b'batch')
        check(ask(b'lookup', b'key=tip') == (plain, [b'1 ' + node + b'\n']), b'lookup')
        check(ask(b'known', b'nodes=' + node) == (plain, [b'1']), b'known')
        check(ask(b'listkeys', b'namespace=phases')[0] == plain, b'listkeys')
        check(ask(b'branchmap') == (plain, [b'default ' + node]), b'branchmap')
        for name in (b'between', b'branches', b'changegroup', b'changegroupsubset', b'hello', b'protocaps'):
            check(name in wireprotov1server.commands, name)
        for attack in (b'cmds=pushkey+namespace%3Dphases', b'cmds=batch+', b'cmds=unbundle+heads%3D'):
            check(ask(b'batch', attack)[0] == refused, b'a write in a batch')

        bundle = b'bundlecaps=HG20%2Cbundle2%3DHG20%250Achangegroup%253D01%252C02&cg=1&heads=' + node
        caps = b'0.1 0.2 comp=zstd,zlib,none'
        media, chunks = ask(b'getbundle', bundle, caps)
        check(media == wireprotoserver.HGTYPE2 and len(b''.join(chunks)) > 100, b'getbundle')
        check(ask(b'getbundle', b'heads=' + node)[0] == refused, b'bundles of the first kind')
        own_command.check_commands(check, path, node)
        self_attack.check_self(ui, lambda ui, arguments, spool: Request(ui, b'', arguments, spool), check, path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


@command(b'trunkline-serve', [], b'SOCKET', norepo=True)
def trunkline_serve(ui, path):
    """answer clients, until stdin is closed"""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = fork_server.ForkServer(lambda connection: answer_request(ui, connection), path)
    warm_up(ui, path + b'.warm')
    gc.collect()
    # Collections in a child would otherwise write to each page that it shares with this process.
    gc.freeze()
    server.listen()
    os.write(1, b'ready\n')
    server.run()
