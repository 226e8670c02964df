import { readFile } from 'node:fs/promises';
import * as v from 'valibot';

const ProfileSchema = v.object({
  nodes: v.array(
    v.object({
      id: v.number(),
      callFrame: v.object({ functionName: v.string(), url: v.string(), lineNumber: v.number() }),
    }),
  ),
  samples: v.array(v.number()),
  timeDeltas: v.array(v.number()),
});
type Profile = v.InferOutput<typeof ProfileSchema>;

/** Where the main thread of a process has spent its time; shares are percentages of the time in which it was busy. */
export interface ProfileFigures {
  readonly busyMs: number;
  /** Writing to sockets. */
  readonly sockets: number;
  readonly garbage: number;
  /** Functions of JavaScript, with file and line, the longest first. */
  readonly functions: readonly (readonly [name: string, share: number])[];
}

const garbage = '(garbage collector)';
const isWriting = (name: string) => /^write(v|Buffer|Latin1String|Utf8String|AsciiString)$/.test(name);

/** Microseconds by what ran itself, without what it called; functions of V8 and Node.js in C++ have no file. */
function timesOf({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const nameOf = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const at = url === '' ? '' : ` (${url.split('/').at(-1)}:${lineNumber + 1})`;
      return [id, `${functionName || 'anonymous'}${at}`];
    }),
  );
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = nameOf.get(id) ?? '';
    if (name !== '(idle)') times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  return times;
}

/** Reads a file of V8's profiler. */
export async function readProfile(path: string): Promise<ProfileFigures> {
  const times = timesOf(v.parse(ProfileSchema, JSON.parse(await readFile(path, 'utf8'))));
  const busy = [...times.values()].reduce((sum, time) => sum + time, 0);
  const shareOf = (isCounted: (name: string) => boolean) =>
    [...times].reduce((sum, [name, time]) => (isCounted(name) ? sum + (100 * time) / busy : sum), 0);
  const functions = [...times]
    .filter(([name]) => name.includes(' ('))
    .map(([name, time]) => [name, (100 * time) / busy] as const)
    .toSorted(([, a], [, b]) => b - a);
  return { busyMs: busy / 1_000, sockets: shareOf(isWriting), garbage: shareOf((name) => name === garbage), functions };
}
