import type { TransferFrame } from '@trunkline/contracts';
import { BusError } from './bus-error.ts';
import { beatMs, idleMs } from './transfer-limits.ts';
import type { TransferLink, TransferMessage } from './transfer-link.ts';

interface Peer {
  readonly heard: (frame: TransferFrame | null, message: Required<TransferMessage>) => void;
  /** Says that this end is still there. */
  readonly beat: () => void;
  readonly fail: (error: BusError) => void;
}

/** Hears the other end of a transfer; fails when that falls silent or the connection is lost, until told to stop. */
export function followPeer(link: TransferLink, subject: string, { heard, beat, fail }: Peer): () => void {
  const idle = setTimeout(() => fail(new BusError('timeout')), idleMs);
  const beats = setInterval(beat, beatMs);
  const ignoreLoss = link.onLost(() => fail(new BusError('lost')));
  const stopListening = link.listen(subject, (frame, message) => {
    idle.refresh();
    heard(frame, message);
  });
  return () => {
    clearTimeout(idle);
    clearInterval(beats);
    ignoreLoss();
    stopListening();
  };
}
