import type { KeyLimit } from '@trunkline/contracts';
import { sql } from 'drizzle-orm';
import type { callerParameters, RepositoryAccess, Rights } from './authorize.ts';

/**
 * What a statement that reads rights and acts has done: `done`, or why it did nothing. It was `refused` by the rights, the
 * repository is `missing`, target or value are `unfit`, or the command is `repeated`.
 */
export type Step = 'done' | 'refused' | 'missing' | 'unfit' | 'repeated';

/** What every such statement is given of its call. */
export interface ActingParameters extends ReturnType<typeof callerParameters> {
  /** The networks of the caller among which the caller's address was looked for. */
  readonly networks: readonly string[];
  /** The caller needs one of these global permissions; null for none. */
  readonly permissions: readonly string[] | null;
  /** The object that an earlier run of the call has found by its name; another one is not written. */
  readonly formerId: number | null;
  /** The entry of the audit log; the id is null for a call that changes nothing. */
  readonly requestId: string | null;
  readonly ip: string;
  readonly method: string;
  readonly args: string;
  /** Whether the wait for a lock is to be shorter still. */
  readonly isBrief: boolean;
}

export type NamedRepository = Pick<RepositoryAccess, 'id' | 'name' | 'level'>;

/** What every such statement returns. */
export interface Acted {
  readonly step: Step;
  readonly rights: Rights<NamedRepository>;
  /** Whether a row was written. */
  readonly changed: boolean;
}

/** The columns for that, without the repository. */
export const actedColumns = {
  step: sql<Step>`out_step`,
  changed: sql<boolean>`out_changed`,
  usable: sql<boolean>`out_usable`,
  userId: sql<number>`out_user_id`,
  username: sql<string>`out_username`,
  admin: sql<boolean>`out_admin`,
  limitedTo: sql<KeyLimit | null>`out_limited_to`,
  networks: sql<string[]>`out_networks`,
  globalPermissions: sql<string[]>`out_permissions`,
  keyReaches: sql<boolean>`out_key_reaches`,
};

const given = (name: keyof ActingParameters) => sql.placeholder(name);

/** The first parameters of the functions. */
export const givenCaller = sql`${given('userId')}::int, ${given('keyId')}::int, ${given('sessionId')}::int,
  ${given('passwordFingerprint')}::text, ${given('networks')}::text[], ${given('permissions')}::text[]`;

/** The last parameters of the functions. */
export const givenEntry = sql`${given('requestId')}::uuid, ${given('ip')}::text, ${given('method')}::text,
  ${given('args')}::jsonb, ${given('isBrief')}::boolean`;
