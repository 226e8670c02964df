import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../plan/finding.ts';

const entriesMax = 100_000;
const findingsMax = 1_000;

function isRepository(names: ReadonlySet<string>): boolean {
  return names.has('.hg') || names.has('.git') || ['HEAD', 'objects', 'refs'].every((name) => names.has(name));
}

/** Lists repositories below a directory that the database does not know, as far as a bounded search finds them. */
export async function findStrays(root: string, known: ReadonlySet<string>): Promise<Finding[]> {
  const findings: Finding[] = [];
  const pending = [''];
  let entries = 0;
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    if (known.has(directory)) continue;
    const names = new Set<string>();
    const below: string[] = [];
    const opened = await opendir(join(root, directory)).catch(() => null);
    for await (const entry of opened ?? []) {
      entries += 1;
      names.add(entry.name);
      if (entry.isDirectory() && !/^[.@]/.test(entry.name)) below.push(join(directory, entry.name));
    }
    if (isRepository(names)) {
      const what = 'the database does not know it: rescan_repos adopts what lies in a storage';
      findings.push({ kind: 'left out', about: `directory ${directory || '.'}`, what });
    } else pending.push(...below);
    if (entries > entriesMax || findings.length > findingsMax) break;
  }
  return findings;
}
