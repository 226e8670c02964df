import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hgCommand, plainEnvironment } from './tools.ts';

/** Files and links by their full names, in the order in which they are to stand in the manifest. */
export type PlantedManifest = readonly (readonly [
  name: string,
  node: { readonly file: string } | { readonly link: string },
])[];

// Reads name, flag and content of each file, each followed by NUL, and checks nothing.
const extension = `import sys
from mercurial import metadata, node, registrar

cmdtable = {}
command = registrar.command(cmdtable)

@command(b'plant')
def plant(ui, repo):
    tokens = sys.stdin.buffer.read().split(b'\\0')
    with repo.lock(), repo.transaction(b'plant') as tr:
        linkrev, none = len(repo.changelog), repo.nullid
        lines, files = [], metadata.ChangingFiles()
        for name, flag, content in zip(tokens[0::3], tokens[1::3], tokens[2::3]):
            filenode = repo.file(name).add(content, {}, tr, linkrev, none, none)
            files.mark_touched(name)
            lines.append(name + b'\\0' + node.hex(filenode) + flag + b'\\n')
        revlog = repo.manifestlog.getstorage(b'')._revlog
        manifest = revlog.node(revlog.addrevision(b''.join(lines), tr, linkrev, none, none))
        changeset = repo.changelog.add(manifest, files, b'planted', tr, none, none, b'Ann', (0, 0), {})
        ui.write(node.hex(changeset))
`;

/** Commits a manifest that Mercurial itself would not make; the changeset's id. */
export async function plantHg(path: string, manifest: PlantedManifest): Promise<string> {
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
  child.stdin.end(entries.flat().join('\0'));
  const [exitCode]: unknown[] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`hg plant ended with ${String(exitCode)}`);
  return rawId;
}
