import type { Caller } from '@trunkline/contracts';
import type { Session } from '../../authn/session/sessions.ts';

/** The identity and rights of a page's visitor. */
export interface Visitor {
  readonly caller: Caller;
  readonly admin: boolean;
  /** The session of a visitor who is signed in; null for a visitor with a key or without credentials. */
  readonly session: Session | null;
}
