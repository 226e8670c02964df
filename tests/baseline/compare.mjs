// Says which tests are gone and which are new between two commits: `node tests/baseline/compare.mjs OLD NEW`.
import { execFileSync } from 'node:child_process';
import { compareNames, parseNames } from './names.mjs';

const [before, after = 'HEAD'] = process.argv.slice(2);
if (before === undefined) {
  console.error('Usage: node tests/baseline/compare.mjs COMMIT [COMMIT]');
  process.exit(2);
}
const options = { cwd: import.meta.dirname, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
const namesAt = (commit) => parseNames(execFileSync('git', ['show', `${commit}:./names.txt`], options));

const { gone, added, counts } = compareNames(namesAt(before), namesAt(after));
for (const label of gone) console.log(`gone: ${label}`);
for (const label of added) console.log(`new:  ${label}`);
for (const [label, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${String(count).padStart(6)} ${label}`);
console.log(`${gone.length} gone, ${added.length} new`);
