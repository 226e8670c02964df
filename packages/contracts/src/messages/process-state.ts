import * as v from 'valibot';

/** Bytes of one answer, and entries of each of its lists: an answer that is larger is ignored. */
export const stateBytesMax = 32_768;
export const statesListedMax = 20;
const storagesMax = 200;

const uuidChars = 36;
const Id = v.pipe(v.string(), v.uuid());
const Text = v.pipe(v.string(), v.maxLength(255));
const Whole = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What runs: how much in all, and the oldest of it. */
function running<const E extends v.ObjectEntries>(entries: E) {
  const one = v.object({ id: Text, ms: Whole, ...entries });
  return v.object({ count: Whole, oldest: v.pipe(v.array(one), v.maxLength(statesListedMax)) });
}

/** Names are texts: another release may have lanes, methods and operations of its own. */
const ProcessStateSchema = v.object({
  id: Id,
  role: v.picklist(['gateway', 'vcs-worker']),
  version: Text,
  host: Text,
  pid: Whole,
  /** Seconds since the start of the process. */
  seconds: Whole,
  memoryBytes: Whole,
  /** Memory of the git and hg processes of a worker; null in a process that has none. */
  childMemoryBytes: v.nullable(Whole),
  lanes: v.pipe(v.array(v.object({ lane: Text, slots: Whole, busy: Whole })), v.maxLength(statesListedMax)),
  storages: v.pipe(v.array(Text), v.maxLength(storagesMax)),
  calls: running({ method: Text, lane: Text }),
  operations: running({ kind: Text }),
  /** Addresses of data ports of workers that a gateway cannot reach; absent in workers, and in gateways of 0.1.0. */
  unreachable: v.optional(v.pipe(v.array(Text), v.maxLength(statesListedMax))),
  /** What the last error in the log of the process was about, and when; never its message. */
  lastError: v.nullable(v.object({ at: v.pipe(v.string(), v.isoTimestamp()), about: Text })),
});

/** What a gateway or a worker does at the moment, for administrators. */
export type ProcessState = v.InferOutput<typeof ProcessStateSchema>;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Returns the id of the request that an answer is for, which is its beginning. */
export function stateRequestIdOf(body: Uint8Array): string {
  return new TextDecoder().decode(body.subarray(0, uuidChars));
}

/** Encodes an answer: the id of the request, then the state, whose lists are cut to what an answer may have. */
export function encodeState(requestId: string, state: ProcessState): Uint8Array {
  const storages = state.storages.slice(0, storagesMax);
  return encoder.encode(requestId + JSON.stringify({ ...state, storages }));
}

/** Decodes the state in an answer; returns null for any other message. */
export function decodeState(body: Uint8Array): ProcessState | null {
  if (body.length > stateBytesMax) return null;
  try {
    return v.parse(ProcessStateSchema, JSON.parse(decoder.decode(body.subarray(uuidChars))));
  } catch {
    return null;
  }
}
