import { feedGit } from './feed-git.ts';
import { git } from './tools.ts';

export type PlantedNode =
  | { readonly file: string }
  | { readonly link: string }
  | { readonly submodule: string }
  | { readonly tree: PlantedTree };

/** Entries of a tree object, in the order in which they are written. */
export type PlantedTree = readonly (readonly [name: string, node: PlantedNode])[];

const plantObject = (path: string, type: 'blob' | 'tree', content: string | Buffer) =>
  feedGit(path, ['hash-object', '-w', '--literally', '--stdin', '-t', type], content);

async function plantNode(path: string, node: PlantedNode): Promise<{ mode: string; id: string }> {
  if ('file' in node) return { mode: '100644', id: await plantObject(path, 'blob', node.file) };
  if ('link' in node) return { mode: '120000', id: await plantObject(path, 'blob', node.link) };
  if ('submodule' in node) return { mode: '160000', id: node.submodule };
  return { mode: '40000', id: await plantTree(path, node.tree) };
}

async function plantTree(path: string, tree: PlantedTree): Promise<string> {
  const entries: Buffer[] = [];
  for (const [name, node] of tree) {
    const { mode, id } = await plantNode(path, node);
    entries.push(Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex'));
  }
  return plantObject(path, 'tree', Buffer.concat(entries));
}

/** Commits a tree that git itself would not make to the branch `main`; returns the id of the commit. */
export async function plantGit(path: string, tree: PlantedTree): Promise<string> {
  const rawId = await git(path, `--git-dir=${path}`, 'commit-tree', '-m', 'planted', await plantTree(path, tree));
  await git(path, `--git-dir=${path}`, 'update-ref', 'refs/heads/main', rawId);
  return rawId;
}

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
