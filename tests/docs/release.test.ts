import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { release } from '../../packages/db/src/applied-migrations.ts';
import { findRemovals, type Migration } from '../harness/find-removals.ts';
import { allowedRemovals, previousRelease } from '../harness/previous-release.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const versionIn = (path: string): string => JSON.parse(read(path)).version;

const version = versionIn('package.json');

describe('the release', () => {
  it('has one version, in every package, in the number that the schema records, and in the changelog', () => {
    const tracked = execFileSync('git', ['ls-files', '*package.json'], { cwd: root, encoding: 'utf8' });
    const versions = tracked
      .trim()
      .split('\n')
      .map((path) => [path, versionIn(path)]);
    expect(versions.filter(([, one]) => one !== version)).toEqual([]);
    expect(version).toMatch(new RegExp(String.raw`^0\.${release}\.\d+$`));
    const headings = [...read('CHANGELOG.md').matchAll(/^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/gm)];
    expect(headings.map(([, heading]) => heading).slice(0, 2)).toEqual([version, previousRelease.version]);
  });

  it('follows the previous one', () => {
    expect(previousRelease.version).toMatch(new RegExp(String.raw`^0\.${release - 1}\.\d+$`));
  });
});

describe('migrations of this release', () => {
  const { entries }: { entries: { tag: string }[] } = JSON.parse(read('packages/db/migrations/meta/_journal.json'));
  const former = entries.findIndex(({ tag }) => tag === previousRelease.lastMigration);
  const own = entries
    .slice(former + 1)
    .map(({ tag }): Migration => ({ tag, sql: read(`packages/db/migrations/${tag}.sql`) }));
  const removals = findRemovals(own);
  const allows = (allowed: { migration: string; statement: string }) =>
    removals.filter((one) => one.migration === allowed.migration && one.statement.startsWith(allowed.statement));

  it('begin after those of the previous release', () => {
    expect(former).toBeGreaterThanOrEqual(0);
  });

  it('only add to what the previous release uses', () => {
    const allowed = new Set(allowedRemovals.flatMap(allows));
    expect(removals.filter((one) => !allowed.has(one))).toEqual([]);
  });

  it('have a snapshot of the schema with the newest of them, and no former one', () => {
    const snapshots = readdirSync(join(root, 'packages/db/migrations/meta')).filter((name) => name !== '_journal.json');
    expect(snapshots).toEqual([`${entries.at(-1)?.tag.slice(0, 4)}_snapshot.json`]);
  });

  it('make every removal that is allowed', () => {
    expect(allowedRemovals.filter((one) => allows(one).length === 0)).toEqual([]);
  });
});
