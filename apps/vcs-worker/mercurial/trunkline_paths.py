# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file runs inside Mercurial and is distributed under its terms: the GNU General Public License, version 2 or any
# later version. The rest of Trunkline is separate from it: it runs this file as a program.
"""Prints which changesets changed a path, and which of them wrote the lines of a file; each value ends in NUL.

`hg trunkline-history --rev REV --skip N --limit N --seconds N -- PATH` prints `file`, `dir` or nothing for what the path is
at the changeset; then, newest first, the id of a changeset, how it changed the file, the path at it and the former path;
last `more`, `end` or `late`. `hg trunkline-annotate --rev REV -- FILE` prints, for consecutive lines of one changeset, their
number, its id, the path at it, the number of the first line there, and the changeset and the path before it.
"""

from itertools import groupby
from time import monotonic

from mercurial import dagop, registrar, scmutil

cmdtable = {}
command = registrar.command(cmdtable)


def touching(repo, ctx, path):
    """Yields the changesets that changed a path or something below it, and None for each other ancestor."""
    below = path + b'/' if path else b''
    changelog = repo.changelog
    for rev in changelog.ancestors([ctx.rev()], inclusive=True):
        files = changelog.readfiles(changelog.node(rev))
        yield repo[rev] if any(name == path or name.startswith(below) for name in files) else None


def of_file(fctx):
    repo = fctx.repo()
    for rev, fctxs in dagop.filectxancestors([fctx.introfilectx()]):
        ctx = repo[rev]
        found = min(fctxs, key=lambda fctx: fctx.path())
        renamed = found.renamed()
        if renamed:
            yield ctx, b'copied' if renamed[0] in ctx else b'renamed', found.path(), renamed[0]
        else:
            yield ctx, b'changed' if found.parents() else b'added', found.path(), b''


def of_other(repo, ctx, path):
    """Yields the changes below a directory, or those of a file that is not there any more."""
    for changed in touching(repo, ctx, path):
        if changed is None:
            yield None
        elif path in changed:
            yield from of_file(changed[path])
            return
        else:
            parents = [parent for parent in changed.parents() if path in parent]
            yield changed, b'removed' if parents else b'', path, b''
            if parents:
                yield from of_file(parents[0][path])
                return


@command(
    b'trunkline-history',
    [(b'', b'rev', b'', b''), (b'', b'skip', 0, b''), (b'', b'limit', 0, b''), (b'', b'seconds', 0, b'')],
)
def history(ui, repo, path, **options):
    ctx = scmutil.revsingle(repo, options['rev'])
    until = monotonic() + options['seconds']
    left, end = options['limit'], b'end'
    is_file = path in ctx
    ui.write(b'%s\0' % (b'file' if is_file else b'dir' if not path or ctx.hasdir(path) else b''))
    skipped = 0
    for found in of_file(ctx[path]) if is_file else of_other(repo, ctx, path):
        if monotonic() >= until:
            end = b'late'
            break
        if found is None:
            continue
        if skipped < options['skip']:
            skipped += 1
        elif left == 0:
            end = b'more'
            break
        else:
            left -= 1
            changed, how, name, former = found
            ui.write(b'%s\0%s\0%s\0%s\0' % (changed.hex(), how, name, former))
    ui.write(b'%s\0' % end)


def before(fctx):
    """Returns the changeset before a changeset, and the path of its file there; nothing for a new file."""
    ctx = fctx.changectx()
    for former in fctx.parents():
        # A merge may have the file from its second parent.
        for parent in ctx.parents():
            if len(ctx.parents()) == 1 or former.path() in parent:
                return parent.hex(), former.path()
    return b'', b''


@command(b'trunkline-annotate', [(b'', b'rev', b'', b'')])
def annotate(ui, repo, path, **options):
    origins = {}

    def block_of(numbered):
        number, line = numbered
        key = line.fctx.rev(), line.fctx.path()
        if key not in origins:
            origins[key] = (line.fctx.hex(), line.fctx.path(), *before(line.fctx))
        return line.lineno - number, origins[key]

    annotated = scmutil.revsingle(repo, options['rev'])[path].annotate(follow=True)
    for (_offset, (node, name, *former)), lines in groupby(enumerate(annotated), key=block_of):
        (_number, first), *others = lines
        ui.write(b'\0'.join([b'%d' % (len(others) + 1), node, name, b'%d' % first.lineno, *former]) + b'\0')
