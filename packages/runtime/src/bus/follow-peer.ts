import type { StreamFrame } from '@trunkline/contracts';
import { BusError } from './bus-error.ts';
import { beatMs, idleMs } from './stream-limits.ts';
import type { StreamLink, StreamMessage } from './stream-link.ts';

interface Peer {
  readonly heard: (frame: StreamFrame | null, message: Required<StreamMessage>) => void;
  /** Says that this end is still there. */
  readonly beat: () => void;
  readonly fail: (error: BusError) => void;
}

/** Hears the other end of a transfer; fails when that falls silent or the connection is lost, until told to stop. */
export function followPeer(link: StreamLink, subject: string, { heard, beat, fail }: Peer): () => void {
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
