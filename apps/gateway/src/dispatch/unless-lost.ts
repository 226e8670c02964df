import type { BusReply } from '@trunkline/runtime';

/** Declines a streamed reply, which would otherwise stay in its worker; ignores any other reply. */
export function drop({ payload }: BusReply): void {
  if (!(payload instanceof Uint8Array)) payload.stream.destroy();
}

/**
 * Sends a read and returns its reply; null as soon as the read has lost its worker, whose reply is then dropped. `send`
 * calls `begun` when the answer begins: from then on, the transfer of the answer tells that its worker lives.
 */
export function unlessLost(
  watch: (lost: () => void) => () => void,
  send: (begun: () => void) => Promise<BusReply>,
): Promise<BusReply | null> {
  return new Promise((resolve, reject) => {
    let isLost = false;
    const unwatch = watch(() => {
      isLost = true;
      resolve(null);
    });
    send(unwatch)
      .finally(unwatch)
      .then((reply) => (isLost ? drop(reply) : resolve(reply)))
      .catch(reject);
  });
}
