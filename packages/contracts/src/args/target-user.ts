import { optional } from './arg.ts';
import { entityRef } from './entity-ref.ts';

/** The user a call is about. Users may name only themselves, administrators anybody. */
export const targetUser = optional(
  entityRef,
  null,
  'Username or user id; others than administrators may name only themselves',
  'the caller',
);
