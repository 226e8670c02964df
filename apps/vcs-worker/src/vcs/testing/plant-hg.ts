import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hgCommand, plainEnvironment } from './tools.ts';

/** Files and links by their names from the root, in the order in which they are written to the manifest. */
export type PlantedManifest = readonly (readonly [
  name: string,
  node: { readonly file: string } | { readonly link: string },
])[];

// Reads a branch, then name, flag and content of each file from stdin, separated by NUL, and checks none of them.
const extension = `import sys
from mercurial import metadata, node, registrar

cmdtable = {}
command = registrar.command(cmdtable)

@command(b'plant')
def plant(ui, repo):
    branch, *tokens = sys.stdin.buffer.read().split(b'\\0')
    with repo.lock(), repo.transaction(b'plant') as tr:
        linkrev, none = len(repo.changelog), repo.nullid
        lines, files = [], metadata.ChangingFiles()
        for name, flag, content in zip(tokens[0::3], tokens[1::3], tokens[2::3]):
            filenode = repo.file(name).add(content, {}, tr, linkrev, none, none)
            files.mark_touched(name)
            lines.append(name + b'\\0' + node.hex(filenode) + flag + b'\\n')
        revlog = repo.manifestlog.getstorage(b'')._revlog
        manifest = revlog.node(revlog.addrevision(b''.join(lines), tr, linkrev, none, none))
        changeset = repo.changelog.add(manifest, files, b'planted', tr, none, none, b'Ann', (0, 0), {b'branch': branch})
        ui.write(node.hex(changeset))
`;

/** Commits a manifest, or a branch, that Mercurial itself would not make; returns the id of the changeset. */
export async function plantHg(path: string, manifest: PlantedManifest, branch = 'default'): Promise<string> {
  const plugin = join(path, '.hg', 'plant.py');
  await writeFile(plugin, extension);
  const [file = '', ...words] = hgCommand;
  const child = spawn(file, [...words, `--config=extensions.plant=${plugin}`, 'plant'], {
    cwd: path,
    env: plainEnvironment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let rawId = '';
  child.stdout.on('data', (chunk: Buffer) => (rawId += chunk.toString()));
  const entries = manifest.map(([name, node]) => ('link' in node ? [name, 'l', node.link] : [name, '', node.file]));
  child.stdin.end([branch, ...entries.flat()].join('\0'));
  const [exitCode]: unknown[] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`hg plant ended with ${String(exitCode)}`);
  return rawId;
}
