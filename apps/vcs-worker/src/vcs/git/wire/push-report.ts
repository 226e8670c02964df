import { PushTooLargeError, type PushRefusedError } from '../../push.ts';
import type { CommandList } from './command-list.ts';
import { flushPacket, pktLine } from './pkt-line.ts';

/** Bytes of a packet of the side band beside its length and the number of its band. */
const sideBandBytesMax = 65_515;
const reasonCharsMax = 400;

/** An empty packet, which keeps proxies and clients waiting; git sends the same. */
export const keepAlivePacket = Buffer.from('0005\x01');

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

/** Returns the report on a push, in git's words; the refusal is null when all of it is done. */
export function pushReport({ changes, capabilities }: CommandList, refusal: PushRefusedError | null): Buffer {
  const hasSide = hasSideBand({ capabilities });
  // A client whose connection is closed while it sends shows no report.
  const early = hasSide && refusal instanceof PushTooLargeError ? [progressPacket(refusal.message)] : [];
  const end = hasSide ? flushPacket : Buffer.alloc(0);
  if (!capabilities.has('report-status') && !capabilities.has('report-status-v2')) {
    return refusal === null ? end : errorPacket(refusal.message);
  }
  const lines = changes.map(({ name }) => {
    if (refusal === null) return pktLine(`ok ${name}\n`);
    const reason = refusal.reasons.get(name) ?? (refusal.reasons.size > 0 ? othersText : refusal.message);
    return pktLine(`ng ${name} ${oneLine(reason)}\n`);
  });
  const report = Buffer.concat([pktLine('unpack ok\n'), ...lines, flushPacket]);
  if (!hasSide) return report;
  const packets: Buffer[] = [...early];
  for (let from = 0; from < report.length; from += sideBandBytesMax) {
    packets.push(pktLine(Buffer.concat([Buffer.from([1]), report.subarray(from, from + sideBandBytesMax)])));
  }
  return Buffer.concat([...packets, end]);
}
