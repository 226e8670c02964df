import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cpuMsOf, readProcesses } from '../../harness/process-figures.ts';
import { isShort } from '../bench-form.ts';
import { median, report } from '../median.ts';
import { bareClone, cloneRequests, collectAnswer, gitRequests } from './bare-clones.ts';
import { kinds, type CloneStage, type Kind, type System } from './clone-stage.ts';
import { beyondIdle, costOf, idleShare, measureCost, reportAgainst, toolClone, type Cost } from './compare-clones.ts';
import { startBareServers, type Floor } from './floors.ts';

const rounds = isShort ? 1 : 5;
/** Fewer than one user, or the users of one repository, may have at once. */
const clonesOfUser = 25;

/** Compares one clone by the tool itself: the first one of a repository, and the third one. */
export async function compareSingleClones(stage: CloneStage, system: System): Promise<void> {
  const [cold, warm, alone]: Cost[][] = [[], [], []];
  const clone = (kind: Kind, name: string) => () => toolClone(stage, system, stage.address(kind, name));
  // What a worker and the servers do once is not counted.
  const first = await stage.freshRepository();
  for (const kind of kinds) await clone(kind, first)();
  const share = await idleShare(stage);
  for (let round = 0; round < rounds; round += 1) {
    const name = await stage.freshRepository();
    alone?.push(await costOf(stage, 'floor', clone('floor', name)));
    cold?.push(beyondIdle(await costOf(stage, 'service', clone('service', name)), share));
    await clone('service', name)();
    warm?.push(beyondIdle(await costOf(stage, 'service', clone('service', name)), share));
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

/** Reports what it costs to send as many clients the bytes of a clone, by servers that have nothing else to do. */
export async function reportBareClones(stage: CloneStage, count: number): Promise<void> {
  const path = join(stage.directory, 'answer');
  await writeFile(path, await collectAnswer(stage.address('floor', ''), gitRequests.pack(stage.tip)));
  const { alone, before } = await startBareServers(path);
  const requests = cloneRequests('git', stage.tip);
  const cpuMs = async (floors: readonly Floor[]) => {
    const table = await readProcesses();
    return floors.reduce((sum, { pid }) => sum + cpuMsOf(table, pid), 0);
  };
  const measure = (asked: Floor, floors: readonly Floor[]) => {
    const address = { url: `http://127.0.0.1:${asked.port}`, apiKey: null };
    const all = () => Promise.all(Array.from({ length: count }, () => bareClone(address, requests)));
    return measureCost(() => cpuMs(floors), all);
  };
  const of = (costs: readonly Cost[], figure: keyof Cost) => median(costs.map((one) => one[figure]));
  try {
    for (const [name, asked, floors] of [
      ['a server that has the bytes in memory', alone, [alone]],
      ['such a server behind another one', before, [alone, before]],
    ] as const) {
      const costs: Cost[] = [];
      for (let round = 0; round < rounds; round += 1) costs.push(await measure(asked, floors));
      report(`${count} clones at once by git, ${name}`, { 'CPU ms': of(costs, 'cpu'), 'wall ms': of(costs, 'wall') });
    }
  } finally {
    await before.stop();
    await alone.stop();
  }
}
