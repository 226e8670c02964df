import { afterAll, beforeAll, inject, it } from 'vitest';
import { isShort } from './bench-form.ts';
import { openCloneStage, type CloneStage } from './clones/clone-stage.ts';
import { compareClonesAtOnce, compareSingleClones, reportBareClones } from './clones/measure-clones.ts';
import { historyLength } from './clones/plant-history.ts';

let stage: CloneStage;
beforeAll(async () => {
  stage = await openCloneStage(inject('postgresUrl'), 'git');
}, 300_000);
afterAll(() => stage.close());

it(`${historyLength} commits: one clone by git`, () => compareSingleClones(stage, 'git'), 600_000);

it.each(isShort ? [4] : [16, 100])(
  '%i clones at once by git',
  async (count) => {
    await compareClonesAtOnce(stage, 'git', count);
    await reportBareClones(stage, count);
  },
  600_000,
);
