import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { hg, hgCommand, plainEnvironment } from './tools.ts';

/** Files and links by their names from the root, in the order in which they are written to the manifest. */
export type PlantedManifest = readonly (readonly [
  name: string,
  node: { readonly file: string } | { readonly link: string },
])[];

const plugin = fileURLToPath(new URL('mercurial/plant.py', import.meta.url));

/** Runs a command that commits what it reads from its stdin; returns the id of the changeset. */
async function plant(path: string, command: string, input: string | Uint8Array): Promise<string> {
  const [file = '', ...words] = hgCommand;
  const child = spawn(file, [...words, `--config=extensions.plant=${plugin}`, command], {
    cwd: path,
    env: plainEnvironment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let rawId = '';
  child.stdout.on('data', (chunk: Buffer) => (rawId += chunk.toString()));
  child.stdin.end(input);
  const [exitCode]: unknown[] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`hg ${command} ended with ${String(exitCode)}`);
  return rawId;
}

/** Commits a manifest, or a branch, that Mercurial itself would not make; returns the id of the changeset. */
export function plantHg(path: string, manifest: PlantedManifest, branch = 'default'): Promise<string> {
  const entries = manifest.map(([name, node]) => ('link' in node ? [name, 'l', node.link] : [name, '', node.file]));
  return plant(path, 'plant', [branch, ...entries.flat()].join('\0'));
}

/** Commits an author and a message whose bytes are stored as they are; returns the id of the changeset. */
export function plantHgTexts(path: string, author: Uint8Array, message: Uint8Array): Promise<string> {
  return plant(path, 'plant-texts', Buffer.concat([author, Buffer.of(0), message]));
}

/** Commits a manifest of so many paths, which have no files; returns the id of the changeset. */
export function plantHgPaths(path: string, count: number): Promise<string> {
  return hg(path, `--config=extensions.plant=${plugin}`, 'plant-paths', String(count));
}
