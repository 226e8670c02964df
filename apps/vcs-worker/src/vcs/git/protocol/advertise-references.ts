import { flushPacket, pktLine, pktLinesOf } from './pkt-line.ts';
import { readReferenceFiles, type FiledReference, type FiledReferences } from './reference-files.ts';

/** What a client asks for by the command `ls-refs` of version 2 of git's protocol. */
interface Listing {
  readonly prefixes: readonly string[];
  readonly flags: ReadonlySet<string>;
}

const hidden = 'refs/trunkline/';
const requestBytesMax = 64 * 1024;
const aboutClient = /^(?:agent|session-id)=/;
const flagWords = ['peel', 'symrefs', 'unborn'];
const prefixWord = 'ref-prefix ';

/** Parses a request for references; null for any other, and for one with what git alone knows. */
function parseListing(body: Buffer): Listing | null {
  const [command, ...lines] = (body.length <= requestBytesMax ? pktLinesOf(body) : null) ?? [];
  if (command !== 'command=ls-refs') return null;
  const delimiter = lines.indexOf(null);
  const capabilities = delimiter < 0 ? lines : lines.slice(0, delimiter);
  const args = delimiter < 0 ? [] : lines.slice(delimiter + 1);
  const isKnown = capabilities.every((line) => line === 'object-format=sha1' || aboutClient.test(line ?? ''));
  const flags = new Set(args.filter((line) => flagWords.includes(line ?? '')).map(String));
  const prefixes = args.flatMap((line) => (line?.startsWith(prefixWord) ? [line.slice(prefixWord.length)] : []));
  const areKnown = args.every((line) => line !== null && (flagWords.includes(line) || line.startsWith(prefixWord)));
  return isKnown && areKnown ? { prefixes, flags } : null;
}

function headLine({ all, head }: FiledReferences, { flags }: Listing): string | null {
  if ('id' in head) return `${head.id} HEAD`;
  const target = flags.has('symrefs') ? ` symref-target:${head.reference}` : '';
  const id = all.find(({ name }) => name === head.reference)?.id;
  if (id !== undefined) return `${id} HEAD${target}`;
  return flags.has('unborn') && target !== '' ? `unborn HEAD${target}` : null;
}

function lineOf({ name, id, peeled }: FiledReference, { flags }: Listing): string {
  return flags.has('peel') && peeled ? `${id} ${name} peeled:${peeled}` : `${id} ${name}`;
}

/**
 * Answers a request for references as `git upload-pack` does, without a process; null for any other request, and for a
 * repository whose files leave something to git.
 */
export async function listReferences(path: string, body: Buffer): Promise<Buffer | null> {
  const listing = parseListing(body);
  const filed = listing && (await readReferenceFiles(path));
  if (!filed) return null;
  const isAsked = (name: string) =>
    listing.prefixes.length === 0 || listing.prefixes.some((prefix) => name.startsWith(prefix));
  const shown = filed.all.filter(({ name }) => isAsked(name) && !name.startsWith(hidden));
  // Whether the object is a tag, and what that leads to, is in the object alone.
  if (listing.flags.has('peel') && shown.some(({ peeled }) => peeled === undefined)) return null;
  const head = isAsked('HEAD') ? headLine(filed, listing) : null;
  const lines = [...(head === null ? [] : [head]), ...shown.map((one) => lineOf(one, listing))];
  return Buffer.concat([...lines.map((line) => pktLine(`${line}\n`)), flushPacket]);
}

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
