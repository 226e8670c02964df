import { BusError } from '../bus-error.ts';
import type { StreamFrame, StreamLink, StreamMessage } from './stream-link.ts';

/** Time without any frame, such as a heartbeat, after which a peer is considered dead. */
export const idleMs = 10_000;
export const heartbeatMs = 2_500;

/** Time without reading after which a stream is ended, since its worker holds the unread answer meanwhile. */
export const stallMs = 60_000;

interface StreamLimits {
  readonly chunkBytes: number;
  /** Maximum number of bytes in flight; credit is renewed by eighths of the window. */
  readonly windowBytes: number;
}

/** Returns the stream sizes for a server with this `max_payload`. */
export function streamLimits(payloadBytesMax: number): StreamLimits {
  const chunkBytes = Math.min(256 * 1024, Math.floor(payloadBytesMax / 4));
  return { chunkBytes, windowBytes: 8 * chunkBytes };
}

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
