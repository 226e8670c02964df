import { afterAll, beforeAll, inject, it } from 'vitest';
import { isShort } from './bench-form.ts';
import { openCloneStage, type CloneStage } from './clones/clone-stage.ts';
import { compareClonesAtOnce, compareSingleClones } from './clones/measure-clones.ts';
import { historyLength } from './clones/plant-history.ts';

let stage: CloneStage;
beforeAll(async () => {
  stage = await openCloneStage(inject('postgresUrl'), 'hg');
}, 300_000);
afterAll(() => stage.close());

it(`${historyLength} changesets: one clone by Mercurial`, () => compareSingleClones(stage, 'hg'), 600_000);

it.each(isShort ? [4] : [16])(
  '%i clones at once by Mercurial',
  (count) => compareClonesAtOnce(stage, 'hg', count),
  600_000,
);
