import { BusError } from '../bus-error.ts';
import type { StreamFrame } from './stream-frame.ts';
import { heartbeatMs, idleMs } from './stream-limits.ts';
import type { StreamLink, StreamMessage } from './stream-link.ts';

interface Peer {
  readonly onFrame: (frame: StreamFrame | null, message: Required<StreamMessage>) => void;
  /** Sends this side's heartbeat. */
  readonly heartbeat: () => void;
  readonly fail: (error: BusError) => void;
}

/**
 * Listens to the peer until the returned function is called. Calls `fail` when the peer has sent nothing for `idleMs`,
 * and when the connection is lost.
 */
export function followPeer(link: StreamLink, subject: string, { onFrame, heartbeat, fail }: Peer): () => void {
  // First, since it throws once the connection is closed: nothing is left behind then.
  const stopListening = link.listen(subject, (frame, message) => {
    idle.refresh();
    onFrame(frame, message);
  });
  const idle = setTimeout(() => fail(new BusError('timeout')), idleMs);
  const heartbeats = setInterval(heartbeat, heartbeatMs);
  const ignoreLoss = link.onLost(() => fail(new BusError('lost')));
  return () => {
    clearTimeout(idle);
    clearInterval(heartbeats);
    ignoreLoss();
    stopListening();
  };
}
