import type postgres from 'postgres';
import { release } from '../applied-migrations.ts';
import { tierFunctions } from './function-rights.ts';
import { gatewayRights } from './gateway-rights.ts';
import { grantStatements } from './grant-statements.ts';
import { workerRights } from './worker-rights.ts';

export const tierRights = { gateway: gatewayRights, worker: workerRights } as const;

export type Tier = keyof typeof tierRights;

/** The database role of each tier. */
export type TierRoles = Readonly<Record<Tier, string>>;

/** Returns the number of the newest release that has given its rights; 0 for none. */
async function readGiven(client: postgres.Sql): Promise<number> {
  const [row] = await client<{ note: string | null }[]>`
    select obj_description(oid, 'pg_namespace') as note from pg_namespace where nspname = 'drizzle'`;
  return Number(/^rights of release (\d+)$/.exec(row?.note ?? '')?.[1] ?? 0);
}

/**
 * Gives the roles of the tiers their rights; a role that does not exist, or that owns the schema, is passed over. Those of
 * the next release stay as they are: its processes run beside those of this one.
 */
export async function applyGrants(client: postgres.Sql, roles: TierRoles): Promise<void> {
  if ((await readGiven(client)) > release) return;
  for (const tier of Object.keys(tierRights) as Tier[]) {
    const role = roles[tier];
    const [found] = await client`select from pg_roles where rolname = ${role} and rolname <> current_user`;
    if (!found) continue;
    // In one transaction: running processes of the role never lack a right.
    await client.begin((tx) => tx.unsafe(grantStatements(role, tierRights[tier], tierFunctions[tier]).join(';\n')));
  }
  await client.unsafe(`comment on schema drizzle is 'rights of release ${release}'`);
}
