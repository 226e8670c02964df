import { PushTooLargeError, type PushRefusedError } from '../../push.ts';
import type { CommandList } from './command-list.ts';
import { flushPacket, pktLine } from './pkt-line.ts';

/** Bytes of a packet of the side band beside its length and the number of its band. */
const sideBandBytesMax = 65_515;
const contentBytesMax = sideBandBytesMax + 1;
const reasonCharsMax = 400;
/** Bytes of the lines about refused references; a client takes those without a line as refused, too. */
const refusedBytesMax = 1024 * 1024;

/** An empty packet, which keeps proxies and clients waiting; git sends the same. */
export const keepAlivePacket = Buffer.from('0005\x01');

const reportBand = Buffer.from([1]);
const othersText = 'another reference of this push was refused';

export function hasSideBand({ capabilities }: Pick<CommandList, 'capabilities'>): boolean {
  return capabilities.has('side-band-64k');
}

/** Returns a text as one line of a report. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- a terminal would obey them
  return text.replaceAll(/[\x00-\x1f\x7f]+/g, ' ').slice(0, reasonCharsMax);
}

/** Returns the answer to a request that cannot be understood. */
export function errorPacket(text: string): Buffer {
  return pktLine(`ERR ${oneLine(text)}`);
}

/** Returns a text that git shows at once, before its push has ended. */
function progressPacket(text: string): Buffer {
  return pktLine(`\x02${oneLine(text)}\n`);
}

/** Yields a line for each reference that was changed: a client takes those without one as refused. */
function* acceptedLines({ changes }: CommandList): Generator<Buffer> {
  for (const { name } of changes) yield pktLine(`ok ${name}\n`);
}

/** Returns the lines about refused references, those that are the reason first, as far as they fit. */
function refusedLines({ changes }: CommandList, { message, reasons }: PushRefusedError): Buffer[] {
  const causes = changes.filter(({ name }) => reasons.has(name));
  const others = changes.filter(({ name }) => !reasons.has(name));
  const lines: Buffer[] = [];
  let bytesLeft = refusedBytesMax;
  for (const { name } of [...causes, ...others]) {
    const reason = reasons.get(name) ?? (reasons.size > 0 ? othersText : message);
    const content = Buffer.from(`ng ${name} ${oneLine(reason)}\n`);
    if (content.length > contentBytesMax) continue;
    bytesLeft -= content.length;
    if (bytesLeft < 0) break;
    lines.push(pktLine(content));
  }
  return lines;
}

/** Yields the bytes of the lines in pieces that are as long as a packet of the side band can be. */
function* inPieces(lines: Iterable<Buffer>): Generator<Buffer> {
  let pending: Buffer[] = [];
  let bytes = 0;
  for (const line of lines) {
    pending.push(line);
    bytes += line.length;
    if (bytes < sideBandBytesMax) continue;
    const joined = Buffer.concat(pending, bytes);
    yield joined.subarray(0, sideBandBytesMax);
    pending = [joined.subarray(sideBandBytesMax)];
    bytes -= sideBandBytesMax;
  }
  if (bytes > 0) yield Buffer.concat(pending, bytes);
}

/** Yields what git shows before the report. */
function* textsBefore({ options }: CommandList, refusal: PushRefusedError | null, unnamed: number): Generator<Buffer> {
  if (options.count > 0) yield progressPacket('Push options have no effect here');
  // A client whose connection is closed while it sends shows no report.
  if (refusal instanceof PushTooLargeError) yield progressPacket(refusal.message);
  if (refusal && unnamed > 0) yield progressPacket(`${unnamed} more references were refused: ${refusal.message}`);
}

/** Yields the report on a push, in git's words; the refusal is null when all of it is done. */
export function* pushReport(list: CommandList, refusal: PushRefusedError | null): Generator<Buffer> {
  const hasSide = hasSideBand(list);
  if (!list.capabilities.has('report-status') && !list.capabilities.has('report-status-v2')) {
    if (refusal) yield errorPacket(refusal.message);
    else if (hasSide) yield flushPacket;
    return;
  }
  const refused = refusal && refusedLines(list, refusal);
  const report = function* (): Generator<Buffer> {
    yield pktLine('unpack ok\n');
    yield* refused ?? acceptedLines(list);
    yield flushPacket;
  };
  if (!hasSide) return yield* inPieces(report());
  yield* textsBefore(list, refusal, refused ? list.changes.length - refused.length : 0);
  for (const piece of inPieces(report())) yield pktLine(Buffer.concat([reportBand, piece]));
  yield flushPacket;
}
