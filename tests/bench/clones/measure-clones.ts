import { isShort } from '../bench-form.ts';
import { bareClone, cloneRequests } from './bare-clones.ts';
import { kinds, type CloneStage, type Kind, type System } from './clone-stage.ts';
import { costOf, reportAgainst, toolClone, type Cost } from './compare-clones.ts';

const rounds = isShort ? 1 : 3;
/** Fewer than one user, or the users of one repository, may have at once. */
const clonesOfUser = 25;

/** Compares one clone by the tool itself: the first one of a repository, and the third one. */
export async function compareSingleClones(stage: CloneStage, system: System): Promise<void> {
  const [cold, warm, alone]: Cost[][] = [[], [], []];
  const clone = (kind: Kind, name: string) => () => toolClone(stage, system, stage.address(kind, name));
  // What a worker and the servers do once is not counted.
  const first = await stage.freshRepository();
  for (const kind of kinds) await clone(kind, first)();
  for (let round = 0; round < rounds; round += 1) {
    const name = await stage.freshRepository();
    alone?.push(await costOf(stage, 'floor', clone('floor', name)));
    cold?.push(await costOf(stage, 'service', clone('service', name)));
    await clone('service', name)();
    warm?.push(await costOf(stage, 'service', clone('service', name)));
  }
  reportAgainst(`one clone by ${system}, cold`, system, cold ?? [], alone ?? []);
  reportAgainst(`one clone by ${system}, warm`, system, warm ?? [], alone ?? []);
}

/** Compares so many equal clones at once of a repository that nobody has asked for yet, by clients that store nothing. */
export async function compareClonesAtOnce(stage: CloneStage, system: System, count: number): Promise<void> {
  const [service, floor]: Cost[][] = [[], []];
  const keys = await stage.makeKeys(Math.ceil(count / clonesOfUser));
  const requests = cloneRequests(system, stage.tip);
  const all = (kind: Kind, name: string) => async () => {
    const clones = Array.from({ length: count }, (_, at) =>
      bareClone(stage.address(kind, name, keys[at % keys.length]), requests),
    );
    const bytes = await Promise.all(clones);
    // Packs of the same objects differ by some bytes.
    if (Math.min(...bytes) < 0.99 * Math.max(...bytes))
      throw new Error(`one of ${count} clones of ${name} is not whole`);
  };
  for (let round = 0; round < rounds; round += 1) {
    const name = await stage.freshRepository();
    floor?.push(await costOf(stage, 'floor', all('floor', name)));
    service?.push(await costOf(stage, 'service', all('service', name)));
  }
  reportAgainst(`${count} clones at once by ${system}`, system, service ?? [], floor ?? []);
}
