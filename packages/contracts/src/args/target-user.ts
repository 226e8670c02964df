import { optional } from './arg.ts';
import { entityRef } from './schemas.ts';

/** The user whom a call concerns. Users may name only themselves, administrators any user. */
export const targetUser = optional(
  entityRef,
  null,
  'Username or user id; users other than administrators may name only themselves',
  'the caller',
);
