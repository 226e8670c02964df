import { createHash } from 'node:crypto';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../../harness/remotes.ts';
import { isShort } from '../bench-form.ts';

export const historyLength = isShort ? 200 : 5_000;
const branches = 200;

/** Makes a bare repository with so many commits, each of which has a file of its own; returns the tip. */
export async function plantHistory(bare: string, length: number): Promise<string> {
  const commits = Array.from({ length }, (_, at) => {
    const head = `commit refs/heads/main\ncommitter Ann <ann@example.com> ${1_700_000_000 + at} +0000\ndata 1\nx\n`;
    const lines = Array.from({ length: 40 }, (_line, line) =>
      createHash('sha512').update(`${at} ${line}`).digest('base64'),
    );
    const text = lines.join('\n');
    return `${head}M 100644 inline dir${at % 50}/file${at}\ndata ${text.length}\n${text}\n\n`;
  });
  const stream = `${bare}.stream`;
  await writeFile(stream, commits.join(''));
  await git('/', 'init', '-q', '--bare', '-b', 'main', bare);
  await git(bare, '-c', 'alias.plant=!git fast-import --quiet <', 'plant', stream);
  // As the service does after an import.
  await git(bare, 'repack', '-q', '-a', '-d');
  return (await git(bare, 'rev-parse', 'main')).trim();
}

/** Adds branches that all name the tip. */
export async function addBranches(bare: string, tip: string): Promise<void> {
  const names = Array.from({ length: branches }, (_, at) => `refs/heads/topic/${String(at).padStart(4, '0')}`);
  await appendFile(join(bare, 'packed-refs'), names.map((name) => `${tip} ${name}\n`).join(''));
}
