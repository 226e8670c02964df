import { mainBranch, mainReference, uniqueName } from '../../harness/unique-name.ts';
import { runClient, runToEnd, type ClientOutcome } from '../run-client.ts';
import type { Program } from './programs.ts';

/** A new tag or bookmark. */
const mark = uniqueName('marked');

/** What a program of git and one of Mercurial have in common. */
export interface PushingClient {
  readonly name: string;
  readonly system: 'git' | 'hg';
  /** Runs a command that has to succeed; returns what it has printed. */
  run(cwd: string, ...args: string[]): Promise<string>;
  init(path: string): Promise<unknown>;
  /** Commits all files. */
  commit(path: string): Promise<unknown>;
  tipOf(path: string): Promise<string>;
  clone(url: string, path: string): Promise<ClientOutcome>;
  push(path: string, url: string, options?: readonly string[]): Promise<ClientOutcome>;
  /** Pushes with the mark. */
  pushWithMark(path: string, url: string): Promise<ClientOutcome>;
  pull(path: string, url: string): Promise<ClientOutcome>;
  /** Lists what a remote has. */
  look(path: string, url: string): Promise<ClientOutcome>;
  /** What is seen there once the mark was pushed. */
  readonly isSeen: string;
  /** Options of `push` that give the login as settings of a user do. */
  withLogin(name: string, key: string): readonly string[];
  readonly nothingToPush: Partial<ClientOutcome>;
  readonly refusals: Readonly<Record<'noLogin' | 'wrongLogin' | 'forbidden' | 'locked', RegExp>>;
}

function hgClient({ name, words }: Program): PushingClient {
  const all = [...words, '--config=ui.interactive=False', '--config=ui.username=Ann <ann@example.com>'];
  const run = (cwd: string, ...args: string[]) => runToEnd([...all, ...args], cwd);
  const attempt = (cwd: string, ...args: string[]) => runClient([...all, ...args], cwd);
  return {
    name,
    system: 'hg',
    run,
    init: (path) => run('/', 'init', path),
    commit: (path) => run(path, 'commit', '-q', '-A', '-m', 'a commit'),
    tipOf: (path) => run(path, 'log', '-r', 'tip', '-T', '{node}'),
    clone: (url, path) => attempt('/', 'clone', '-q', '-U', url, path),
    push: (path, url, options = []) => attempt(path, 'push', ...options, url),
    async pushWithMark(path, url) {
      await run(path, 'bookmark', mark);
      return attempt(path, 'push', '-B', mark, url);
    },
    pull: (path, url) => attempt(path, 'pull', '-q', url),
    look: (path, url) => attempt(path, 'incoming', url),
    isSeen: 'summary:     a commit',
    withLogin: (login, key) =>
      ['prefix=*', 'schemes=http', `username=${login}`, `password=${key}`].map((pair) => `--config=auth.own.${pair}`),
    nothingToPush: { exitCode: 1, stderr: '' },
    refusals: {
      noLogin: /http authorization required/,
      wrongLogin: /authorization failed/,
      forbidden: /HTTP Error 403: (?:This API key is limited to|You may read `.*`, but not push into it)/,
      locked: /HTTP Error 423: Repository `.*` locked by user `admin`/,
    },
  };
}

function gitClient({ name, words }: Program): PushingClient {
  const all = [...words, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'credential.helper='];
  const run = (cwd: string, ...args: string[]) => runToEnd([...all, ...args], cwd);
  const attempt = (cwd: string, ...args: string[]) => runClient([...all, ...args], cwd);
  return {
    name,
    system: 'git',
    run,
    async init(path) {
      await run('/', 'init', '-q', path);
      await run(path, 'symbolic-ref', 'HEAD', mainReference);
    },
    async commit(path) {
      await run(path, 'add', '-A');
      await run(path, 'commit', '-q', '-m', 'a commit');
    },
    tipOf: (path) => run(path, 'rev-parse', 'HEAD'),
    clone: (url, path) => attempt('/', 'clone', '-q', '-n', url, path),
    push: (path, url, options = []) => attempt(path, ...options, 'push', '-q', url, mainBranch),
    async pushWithMark(path, url) {
      await run(path, 'tag', mark);
      return attempt(path, 'push', '-q', url, mainBranch, mark);
    },
    pull: (path, url) => attempt(path, 'pull', '-q', url, mainBranch),
    look: (path, url) => attempt(path, 'ls-remote', url),
    isSeen: `refs/tags/${mark}`,
    withLogin: (login, key) => ['-c', `credential.helper=!echo username=${login}; echo password=${key}; :`],
    nothingToPush: { exitCode: 0, stderr: '' },
    refusals: {
      noLogin: /could not read Username/,
      wrongLogin: /Authentication failed/,
      forbidden: /The requested URL returned error: 403/,
      locked: /The requested URL returned error: 423/,
    },
  };
}

export const pushingClient = (program: Program): PushingClient =>
  program.kind === 'git' ? gitClient(program) : hgClient(program);
