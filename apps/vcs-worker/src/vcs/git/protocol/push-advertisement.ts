import { flushPacket, pktLine } from './pkt-line.ts';
import type { FiledReferences } from './reference-files.ts';

const hidden = 'refs/trunkline/';
/** What stands for the references of a repository that has none. */
const none = `${'0'.repeat(40)} capabilities^{}`;

/** Returns what `git receive-pack` says that it can do, from the beginning of what it tells a client; null where it is not. */
export function capabilitiesIn(piece: Uint8Array): string | null {
  const [, capabilities] = /^[0-9a-f]{44} [^\0\n]+\0([^\n]*)\n/.exec(Buffer.from(piece).toString('latin1')) ?? [];
  return capabilities ?? null;
}

/** Returns what `git receive-pack` tells a client that is about to push. */
export function advertisement({ all }: FiledReferences, capabilities: string): Buffer {
  const shown = all.filter(({ name }) => !name.startsWith(hidden)).map(({ id, name }) => `${id} ${name}`);
  const [first = none, ...others] = shown;
  const lines = [`${first}\0${capabilities}`, ...others];
  return Buffer.concat([...lines.map((line) => pktLine(`${line}\n`)), flushPacket]);
}
