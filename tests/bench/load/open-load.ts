import { performance } from 'node:perf_hooks';
import { seededRandom } from '../../harness/random.ts';
import { withoutRepeats, type SampleFactory } from './bench-request.ts';
import { openConnection } from './connection.ts';

export const connections = 32;

export interface LoadFigures {
  readonly served: number;
  readonly seconds: number;
  readonly bytes: number;
  /** Milliseconds of the requests that were served, by kind. */
  readonly times: ReadonlyMap<string, readonly number[]>;
  /** Number of refusals by their text. */
  readonly refusals: ReadonlyMap<string, number>;
}

/** Connections with samples of their own, which go on where the run before has ended. */
export interface OpenLoad {
  /** Sends requests on all connections for so long, and waits for the last answers; throws when all are refused. */
  run(seconds: number): Promise<LoadFigures>;
  close(): void;
}

const countOne = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** Opens so many connections, which are shared out evenly among the addresses. */
export function openLoad(
  baseUrls: readonly string[],
  seed: number,
  createSample: SampleFactory,
  count = connections,
): OpenLoad {
  const clients = Array.from({ length: count }, (_, index) => ({
    connection: openConnection(baseUrls[index % baseUrls.length] ?? ''),
    sample: withoutRepeats(createSample(seededRandom(seed, index), index)),
  }));
  return {
    async run(seconds) {
      const times = new Map<string, number[]>();
      const refusals = new Map<string, number>();
      const [started, sums] = [performance.now(), { served: 0, bytes: 0 }];
      const until = started + seconds * 1_000;
      const loop = async ({ connection, sample }: (typeof clients)[number]) => {
        while (performance.now() < until) {
          const request = sample();
          const sent = performance.now();
          const { bytes, refusal } = await connection.send(request);
          if (refusal !== null) {
            countOne(refusals, `${request.kind}: ${refusal}`);
            continue;
          }
          sums.served += 1;
          sums.bytes += bytes;
          const ofKind = times.get(request.kind) ?? [];
          ofKind.push(performance.now() - sent);
          times.set(request.kind, ofKind);
        }
      };
      await Promise.all(clients.map(loop));
      if (sums.served === 0) throw new Error(`no request was served: ${[...refusals.keys()].join(', ')}`);
      return { ...sums, seconds: (performance.now() - started) / 1_000, times, refusals };
    },
    close: () => clients.forEach(({ connection }) => connection.close()),
  };
}
