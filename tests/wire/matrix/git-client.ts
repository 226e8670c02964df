import { runToEnd } from '../run-client.ts';
import type { Program } from './programs.ts';

/** What every client of git can do, whatever it is written in. */
export interface GitClient {
  readonly name: string;
  /** How many changesets of a history it clones alone. */
  readonly depths: readonly number[];
  /** Whether one request pushes many references. */
  readonly pushesMany: boolean;
  clone(url: string, path: string, depth?: number): Promise<void>;
  /** Fetches all branches to `refs/remotes/origin`, and all tags. */
  fetch(url: string, path: string): Promise<void>;
  /** Pushes changes as `[+]<from>:<to>` with full names; `:<to>` deletes. */
  push(url: string, path: string, changes: readonly string[]): Promise<void>;
}

/** Returns a git of some release as a client. */
export function gitClient({ name, words }: Program): GitClient {
  return {
    name,
    depths: [1],
    pushesMany: true,
    async clone(url, path, depth) {
      const part = depth === undefined ? [] : [`--depth=${depth}`, '--no-single-branch'];
      await runToEnd([...words, 'clone', '-q', ...part, url, path], '/');
    },
    async fetch(url, path) {
      await runToEnd([...words, 'fetch', '-q', '--tags', url, '+refs/heads/*:refs/remotes/origin/*'], path);
    },
    async push(url, path, changes) {
      await runToEnd([...words, 'push', '-q', url, ...changes], path);
    },
  };
}

/** Returns a client that is a program of its own, with the words `clone`, `fetch` and `push`. */
export function driverClient({ name, words, shallow }: Program): GitClient {
  const run = (...args: string[]) => runToEnd([...words, ...args], '/');
  return {
    name,
    depths: shallow ? [1] : [],
    pushesMany: true,
    async clone(url, path, depth) {
      await run('clone', url, path, ...(depth === undefined ? [] : [String(depth)]));
    },
    async fetch(url, path) {
      await run('fetch', url, path);
    },
    async push(url, path, changes) {
      await run('push', url, path, ...changes);
    },
  };
}
