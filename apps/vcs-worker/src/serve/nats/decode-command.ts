import {
  decodeWorkerRequest,
  mapSecretArgs,
  type Method,
  splitSignature,
  UnavailableError,
  type WorkerRequest,
} from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';

/**
 * Limit of a command's age, and of the difference between the clocks of gateway and worker, in milliseconds. Within
 * this time the audit log detects the replay of a call that changes something; reads may be replayed.
 */
const ageMsMax = 5 * 60_000;

function refused(why: string): UnavailableError {
  return new UnavailableError({ cause: new Error(why) });
}

/** Decodes a command of this instance's gateways; throws UnavailableError for any other command, and for an old one. */
export function decodeCommand(
  vault: Pick<SecretVault, 'hmacs' | 'open'>,
  methodNamed: (method: string) => Method | undefined,
  command: Uint8Array,
  now = Date.now(),
): WorkerRequest {
  const { signature, body } = splitSignature(command);
  if (!isOneOf(signature, vault.hmacs('bus command', body)))
    throw refused('it is not signed by a gateway with the same TRUNKLINE_SECRET');
  const request = decodeWorkerRequest(body);
  const ageSeconds = (now - request.sentAt) / 1_000;
  if (Math.abs(ageSeconds) * 1_000 > ageMsMax) {
    throw refused(`it was sent ${ageSeconds} s ago: it was replayed, or the clocks of the machines differ`);
  }
  const open = (value: unknown): unknown => JSON.parse(vault.open(Buffer.from(String(value), 'base64')));
  return { ...request, args: mapSecretArgs(methodNamed(request.method)?.args ?? {}, request.args, open) };
}

const lookEveryMs = 250;
const stillMs = 1_000;
const latelyMs = 10_000;

export interface PauseDetector {
  /**
   * Returns whether this process was paused until a moment ago: a command that arrives now may have waited that long.
   */
  pausedLately(): boolean;
}

/** Detects that this process was stopped (SIGSTOP), or its machine suspended, by gaps between the ticks of a timer. */
export function detectPauses(now: () => number = Date.now): PauseDetector {
  let lookedAt = now();
  let wokeAt = -Infinity;
  const look = () => {
    const at = now();
    if (at - lookedAt > stillMs) wokeAt = at;
    lookedAt = at;
  };
  setInterval(look, lookEveryMs).unref();
  return {
    pausedLately() {
      look();
      return lookedAt - wokeAt < latelyMs;
    },
  };
}
