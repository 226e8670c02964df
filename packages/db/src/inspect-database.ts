import type postgres from 'postgres';
import { readApplied, release } from './applied-migrations.ts';
import { withConnection } from './lock-start.ts';
import { isMigrated, majorMin, NewerSchemaError, UnreleasedSchemaError } from './migrate.ts';
import { tierRights, type Tier, type TierRoles } from './rights/grants.ts';
import { findUnneededBuiltin } from './rights/builtin-functions.ts';
import { findExcessRight, findMissingRight } from './rights/compare-rights.ts';
import { tierFunctions } from './rights/rights.ts';

/** What a role of gateways or workers may do, compared with what it needs. */
export interface RoleFacts {
  readonly role: string;
  /** The first right that it lacks, and the first that it has beyond those; null for none. */
  readonly missing: string | null;
  readonly excess: string | null;
  /** The first function of Postgres that it may call without need; null for none. */
  readonly builtin: string | null;
  /** What it may do beyond its tables, such as `superuser`. */
  readonly powers: readonly string[];
}

export interface DatabaseFacts {
  readonly version: string;
  /** Whether the server is one that this release was tested with. */
  readonly isSupported: boolean;
  readonly versionMin: number;
  /** The role of the connection. */
  readonly role: string;
  readonly schema: 'current' | 'behind' | 'unreadable' | 'newer' | 'unreleased';
  /** The roles of the tiers; null for one that does not exist. */
  readonly tiers: Readonly<Record<Tier, RoleFacts | null>>;
  /** The database's clock in milliseconds since 1970. */
  readonly timeMs: number;
}

async function readSchema(client: postgres.Sql): Promise<DatabaseFacts['schema']> {
  try {
    const isCurrent = await isMigrated(client);
    if (isCurrent === null) return 'unreadable';
    return isCurrent ? 'current' : 'behind';
  } catch (error) {
    if (error instanceof NewerSchemaError) return 'newer';
    if (error instanceof UnreleasedSchemaError) return 'unreleased';
    throw error;
  }
}

async function readPowers(client: postgres.Sql, role: string): Promise<readonly string[] | null> {
  const [row] = await client<{ powers: string[] }[]>`
    select array_remove(array[
        case when r.rolsuper then 'superuser' end, case when r.rolcreatedb then 'createdb' end,
        case when r.rolcreaterole then 'createrole' end, case when r.rolreplication then 'replication' end,
        case when r.rolbypassrls then 'bypassrls' end,
        case when has_schema_privilege(r.oid, 'public', 'create') then 'create in the schema public' end
      ], null)
      || array(select 'member of ' || g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid
          where m.member = r.oid order by 1) as powers
    from pg_roles r where r.rolname = ${role}`;
  return row?.powers ?? null;
}

async function readTier(client: postgres.Sql, tier: Tier, role: string, isOwn: boolean): Promise<RoleFacts | null> {
  const powers = await readPowers(client, role);
  if (powers === null) return null;
  const rights = tierRights[tier];
  return {
    role,
    missing: await findMissingRight(client, rights, tierFunctions[tier], role),
    builtin: await findUnneededBuiltin(client, tier, role),
    // The next release may have given rights of its own.
    excess: isOwn ? await findExcessRight(client, rights, tierFunctions[tier], role) : null,
    powers,
  };
}

/** Reads what a program needs to judge whether a database fits this release. Changes nothing. */
export async function inspectDatabase(url: string, roles: TierRoles): Promise<DatabaseFacts> {
  return withConnection(url, async (client) => {
    const [server] = await client<{ version: string; major: number; role: string; timeMs: number }[]>`
      select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
        current_user as role, extract(epoch from clock_timestamp())::float8 * 1000 as "timeMs"`;
    if (!server) throw new Error('the database server has not answered');
    const { version, major, role, timeMs } = server;
    const schema = await readSchema(client);
    const isOwn = schema === 'current' && (await readApplied(client)).release <= release;
    const tierOf = (tier: Tier) => (schema === 'current' ? readTier(client, tier, roles[tier], isOwn) : null);
    return {
      version,
      isSupported: major >= majorMin,
      versionMin: majorMin,
      role,
      schema,
      tiers: { gateway: await tierOf('gateway'), worker: await tierOf('worker') },
      timeMs,
    };
  });
}
