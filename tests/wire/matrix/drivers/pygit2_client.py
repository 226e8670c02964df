"""pygit2 as a client: clone URL PATH, fetch URL PATH, push URL PATH CHANGE..."""

import sys

import pygit2


class Strict(pygit2.RemoteCallbacks):
    def push_update_reference(self, refname, message):
        if message is not None:
            raise SystemExit(f'{refname}: {message}')


def clone(url, path):
    pygit2.clone_repository(url, path)


def fetch(url, path):
    repo = pygit2.Repository(path)
    repo.remotes.set_url('origin', url)
    repo.remotes['origin'].fetch()


def push(url, path, *changes):
    remotes = pygit2.Repository(path).remotes
    remotes.create('pushed', url)
    try:
        remotes['pushed'].push(list(changes), callbacks=Strict())
    finally:
        remotes.delete('pushed')


if sys.argv[1] == '--version':
    print(pygit2.__version__)
else:
    {'clone': clone, 'fetch': fetch, 'push': push}[sys.argv[1]](*sys.argv[2:])
