import { nameText } from '@trunkline/runtime/text';
import { collectBytes } from '../../collect-bytes.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitContentTools } from './git-content-tools.ts';
import { openGitFile } from './open-file.ts';

/** Larger files are not read: each directory with a submodule needs the whole file. */
const fileBytesMax = 256 * 1024;

/** Decodes a value as git's configuration files have it: with quotes, escapes and a comment at the end. */
function parseValue(text: string): string {
  let value = '';
  let quoted = false;
  /** How much of the value is neither white space nor outside of quotes. */
  let kept = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '#' || character === ';')) break;
    else value += character === '\\' ? (text[(at += 1)] ?? '') : character;
    if (quoted || character.trim() !== '') kept = value.length;
  }
  return value.slice(0, kept);
}

/** Parses a .gitmodules file: addresses by paths. Git and this service read no settings of it but these two. */
export function parseGitmodules(text: string): ReadonlyMap<string, string> {
  const sections = new Map<string, { path?: string; url?: string }>();
  let section: { path?: string; url?: string } = {};
  for (const line of text.split('\n')) {
    const name = /^\s*\[submodule\s+"((?:[^"\\]|\\.)*)"\]/i.exec(line)?.[1];
    if (name !== undefined) {
      section = sections.get(name) ?? {};
      sections.set(name, section);
    } else if (/^\s*\[/.test(line)) section = {};
    const [, key = '', value = ''] = /^\s*(path|url)\s*=(.*)$/is.exec(line) ?? [];
    if (key !== '') section[key.toLowerCase() === 'path' ? 'path' : 'url'] = parseValue(value.trim());
  }
  const found = [...sections.values()].map(({ path = '', url = '' }): [string, string] => [
    path.replace(/\/$/, ''),
    url,
  ]);
  return new Map(found.filter(([path, url]) => path !== '' && url !== ''));
}

/** Returns addresses of submodules by their paths, as a commit's .gitmodules has them; like git it follows no link. */
export async function readSubmoduleAddresses(
  tools: GitContentTools,
  path: string,
  rawId: string,
): Promise<ReadonlyMap<string, string>> {
  try {
    const { size, symlink, content } = await openGitFile(tools, path, rawId, '.gitmodules');
    if (symlink || size > fileBytesMax) return new Map();
    return parseGitmodules(nameText(await collectBytes(content)));
  } catch (error) {
    if (error instanceof VcsError && ['unknown-path', 'is-submodule'].includes(error.kind)) return new Map();
    throw error;
  }
}
