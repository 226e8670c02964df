# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file runs inside Mercurial and is distributed under its terms: the GNU General Public License, version 2 or any
# later version. The rest of Trunkline is separate from it: it runs this file as a program.
"""Finds the newest changeset of each entry of a directory, by the lists of files that changesets have.

`hg trunkline-last-changes --rev REV [--milliseconds N] [DIRECTORY]` prints, newest first, the changesets of which entries
are the last change: id, date, author and first line of the message, each followed by NUL, then the names of these entries,
each followed by NUL, and one more NUL. The first changeset is the newest that changed anything there, even if it has no
entry. Ends with 1 when the time was up before all entries were found.
"""

from time import monotonic

from mercurial import registrar, scmutil

cmdtable = {}
command = registrar.command(cmdtable)

line_bytes_max = 4096


def first_of(path, start):
    """Returns the name of a directory's entry that a path leads to; `start` is where the names of entries begin."""
    return path[start:].split(b'/', 1)[0]


@command(b'trunkline-last-changes', [(b'', b'rev', b'', b''), (b'', b'milliseconds', 0, b'')])
def last_changes(ui, repo, directory=b'', **options):
    until = monotonic() + options['milliseconds'] / 1000 if options['milliseconds'] else None
    ctx = scmutil.revsingle(repo, options['rev'])
    within = directory + b'/' if directory else b''
    start = len(within)
    wanted = {first_of(path, start) for path in ctx.manifest() if path.startswith(within)}
    changelog = repo.changelog
    is_first = True
    for rev in changelog.ancestors([ctx.rev()], inclusive=True) if wanted else ():
        # The manifest, the author, the date and each file in a line of its own, an empty line, and the message.
        text = changelog.revision(changelog.node(rev))
        head, _, message = text.partition(b'\n\n')
        _, user, date, *files = head.split(b'\n')
        touched = {first_of(path, start) for path in files if path.startswith(within)}
        names = touched & wanted
        if names or (touched and is_first):
            is_first = False
            subject = message.strip().split(b'\n', 1)[0][:line_bytes_max]
            facts = [changelog.node(rev).hex().encode(), date.split(b' ', 1)[0]]
            facts += [part.replace(b'\0', b' ') for part in (user[:line_bytes_max], subject)]
            ui.write(b'\0'.join([*facts, *names, b'', b'']))
        wanted -= names
        if not wanted:
            break
        if until is not None and monotonic() >= until:
            return 1
