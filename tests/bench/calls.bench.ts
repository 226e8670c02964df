import { afterAll, beforeAll, expect, it } from 'vitest';
import { seed } from './bench-form.ts';
import { createGrants } from './calls/grants.ts';
import { contentReads, metadataReads, storageReads, wholeReads } from './calls/reads.ts';
import { refusedOf, reportComparison } from './calls/report-comparison.ts';
import { createCreations, createUpdates } from './calls/writes.ts';
import type { SampleFactory } from './load/bench-request.ts';
import { compare } from './load/compare.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  process.stdout.write(`TRUNKLINE_TEST_SEED=${seed}\n`);
  stage = await openStage();
}, 300_000);
afterAll(() => stage.close());

const minutes = 60_000;

async function compareEach(subjects: Readonly<Record<string, SampleFactory>>): Promise<void> {
  for (const [what, createSample] of Object.entries(subjects))
    reportComparison(what, await compare(stage, createSample));
}

it('reads that the database answers', () => compareEach(metadataReads(stage)), 10 * minutes);

it('whole lists', () => compareEach(wholeReads(stage)), 10 * minutes);

it('reads of repositories', () => compareEach(storageReads(stage)), 10 * minutes);

it('files, differences and archives', () => compareEach(contentReads(stage)), 10 * minutes);

it(
  'writes',
  async () => {
    const grants = createGrants(stage);
    const granted = await compare(stage, grants.createSample);
    reportComparison('grant_user_permission', granted);
    // A refused grant leaves one level as it was.
    expect(await grants.differences()).toBeLessThanOrEqual(refusedOf(granted));
    await compareEach({ 'update_repo, description': createUpdates(stage) });
  },
  10 * minutes,
);

it(
  'creations',
  () =>
    compareEach({
      'create_repo, git': createCreations(stage, 'git', 'made'),
      'create_repo, hg': createCreations(stage, 'hg', 'made'),
    }),
  10 * minutes,
);
