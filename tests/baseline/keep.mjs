// Writes `durations.json` and `names.txt` from what the last whole runs of `npm test` and `npm run test:long` recorded.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatNames } from './names.mjs';

const here = import.meta.dirname;
const durations = {};
const names = [];
for (const tier of ['quick', 'long']) {
  const records = JSON.parse(readFileSync(join(here, `../../.bootstrap/test-run-${tier}.json`), 'utf8'));
  for (const [path, { project, wallSeconds, processorSeconds, tests }] of Object.entries(records)) {
    durations[path] = [wallSeconds, processorSeconds];
    // Some names have a name that is another one in each run (`tests/harness/unique-name.ts`).
    names.push(...tests.map((name) => ({ tier, project, name: name.replaceAll(/-[0-9a-f]{10}(?=-)/g, '-*') })));
  }
}
const lines = Object.entries(durations)
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([path, seconds]) => `  ${JSON.stringify(path)}: [${seconds.join(', ')}]`);
writeFileSync(join(here, 'durations.json'), `{\n${lines.join(',\n')}\n}\n`);
writeFileSync(join(here, 'names.txt'), formatNames(names));
