import { nameText } from '@trunkline/runtime/text';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';

const fileBytesMax = 1024 * 1024;

/** Returns the lines of a file at the root of a changeset; none when it is absent or too large. */
async function readLines(hg: HgCommands, path: string, rawId: string, name: string): Promise<string[]> {
  const args = ['cat', `--rev=${rawId}`, '--', `path:${name}`];
  try {
    const { exitCode, stdout } = await hg.tryRun(path, args, { stdoutBytesMax: fileBytesMax });
    return exitCode === 0 ? nameText(stdout).split(/\r?\n/) : [];
  } catch (error) {
    if (error instanceof VcsError && error.kind === 'too-large') return [];
    throw error;
  }
}

function isPath(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/** Returns the commits of the subrepositories that a changeset pins in .hgsubstate, by their paths. */
export async function readSubrepositories(
  hg: HgCommands,
  path: string,
  rawId: string,
): Promise<ReadonlyMap<string, string>> {
  // Each line is an id, a space and a path.
  const pins = (await readLines(hg, path, rawId, '.hgsubstate')).map((line): [string, string] => {
    const space = line.indexOf(' ');
    return [line.slice(space + 1), line.slice(0, Math.max(space, 0))];
  });
  return new Map(pins.filter(([pinned]) => isPath(pinned)));
}

/** Returns the sources of subrepositories by their paths, as .hgsub has them: `[git]` or another kind, and an address. */
export async function readSubrepositorySources(
  hg: HgCommands,
  path: string,
  rawId: string,
): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  for (const line of await readLines(hg, path, rawId, '.hgsub')) {
    // Sections, of which `[subpaths]` is one, come last.
    if (line.startsWith('[')) break;
    const [, key = '', source = ''] = /^([^=\s;#%][^=]*?)\s*=\s*(.*\S)/.exec(line) ?? [];
    if (source !== '') sources.set(key, source);
  }
  return sources;
}
