import { optional } from './arg.ts';
import { entityRef } from './entity-ref.ts';

/** Whom a call is about that every user may make about himself. */
export const targetUser = optional(
  entityRef,
  null,
  'Username or user id; others than administrators may name only themselves',
  'the caller',
);
