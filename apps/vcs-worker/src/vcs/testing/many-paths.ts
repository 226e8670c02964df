import { git } from './tools.ts';
import { feedGit } from './feed-git.ts';

const entries = 10;
const levels = 9;

/** Commits ten trees and a file to the branch `main` that are a billion paths; returns the id of the commit. */
export async function plantManyPaths(path: string): Promise<string> {
  const hash = (type: 'blob' | 'tree', content: string | Buffer) =>
    feedGit(path, ['hash-object', '-w', '--literally', '--stdin', '-t', type], content);
  let id = await hash('blob', 'x');
  for (let level = 0; level < levels; level += 1) {
    const mode = level === 0 ? '100644' : '40000';
    const one = (name: number) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')];
    id = await hash('tree', Buffer.concat(Array.from({ length: entries }, (_, name) => one(name)).flat()));
  }
  const rawId = await feedGit(path, ['commit-tree', id], 'a billion paths');
  await git(path, `--git-dir=${path}`, 'update-ref', 'refs/heads/main', rawId);
  return rawId;
}
