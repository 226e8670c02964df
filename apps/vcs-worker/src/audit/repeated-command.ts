import { UnavailableError } from '@trunkline/contracts';

/** The refusal of a replayed command: gateways give every call a new id. */
export function repeatedCommand(): UnavailableError {
  return new UnavailableError({ cause: new Error('the same command was run before: it was played again on the bus') });
}
