import type { Random } from '../../harness/random.ts';

/** One request of a load: a call of the API, or a GET of an address. */
export interface BenchRequest {
  /** Under what its time is reported. */
  readonly kind: string;
  readonly path: string;
  /** Body of a POST; a GET when absent. */
  readonly body?: string;
}

/** Samples the next request of one connection. */
export type Sample = () => BenchRequest;

/** Creates the samples of a connection; `connection` counts from 0, so that connections can own separate things. */
export type SampleFactory = (random: Random, connection: number) => Sample;

const samplesMax = 1_000;
const isSame = (a: BenchRequest, b: BenchRequest | null) => a.path === b?.path && a.body === b.body;

/** Returns samples of which no two in succession are the same; throws when there seems to be no other. */
export function withoutRepeats(sample: Sample): Sample {
  let last: BenchRequest | null = null;
  return () => {
    for (let attempt = 0; attempt < samplesMax; attempt += 1) {
      const next = sample();
      if (isSame(next, last)) continue;
      last = next;
      return next;
    }
    throw new Error(`no other request than ${last?.kind} can be sampled`);
  };
}

/** Returns a call of the API as a request. */
export function apiRequest(kind: string, apiKey: string, method: string, args: object): BenchRequest {
  return { kind, path: '/_admin/api', body: JSON.stringify({ id: 1, api_key: apiKey, method, args }) };
}
