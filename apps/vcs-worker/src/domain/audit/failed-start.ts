import { methods } from '@trunkline/contracts';
import { sql } from 'drizzle-orm';

const startingMethods = Object.values(methods).flatMap(({ name, access }) => (access === 'operation' ? [name] : []));

/** Condition for a failed call that began no operation: the entry of a call that began one has a repository. */
export const isFailedStart = sql`repository_id is null and method in ${startingMethods}`;
