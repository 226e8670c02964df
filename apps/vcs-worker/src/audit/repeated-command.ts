import { UnavailableError } from '@trunkline/contracts';

/** The refusal of a command that was run before: gateways give every call an id of its own. */
export function repeatedCommand(): UnavailableError {
  return new UnavailableError({ cause: new Error('the same command was run before: it was played again on the bus') });
}
