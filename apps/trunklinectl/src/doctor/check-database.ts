import {
  inspectDatabase,
  openDatabase,
  openPools,
  requireKnownKeys,
  requireKnownSecrets,
  isMissingRight,
  users,
  type Database,
  type DatabaseFacts,
  type RoleFacts,
} from '@trunkline/db';
import { toOneLine } from '@trunkline/runtime';
import { and } from 'drizzle-orm';
import type { DoctorSettings } from '../config.ts';
import { vaultOf } from '../with-database.ts';
import { type Finding, findingsOf, type Machine } from './check.ts';

const { ok, warning, failure } = findingsOf('database');

/** Commands that are older are refused (docs/running/bus.md). */
const clockMsMax = 300_000;
const clockMsUsual = 10_000;

function checkServer({ version, isSupported, versionMin }: DatabaseFacts): Finding {
  if (isSupported) return ok(`Postgres is ${version}.`);
  return failure(`Postgres is ${version}, which is too old.`, `Move to Postgres ${versionMin} or newer.`);
}

function checkClock({ timeMs }: DatabaseFacts, machine: Machine): Finding {
  const seconds = Math.round(Math.abs(machine.now() - timeMs) / 1_000);
  if (seconds * 1_000 <= clockMsUsual) return ok('The clocks of this machine and of the database agree.');
  const what = `The clocks of this machine and of the database differ by ${seconds} seconds.`;
  const todo = 'Have both machines keep their clocks by NTP (`timedatectl` shows it).';
  return seconds * 1_000 > clockMsMax ? failure(what, todo) : warning(what, todo);
}

const schemaFindings: Readonly<Record<DatabaseFacts['schema'], Finding>> = {
  current: ok('The schema is that of this release.'),
  behind: failure(
    'The database lacks the schema of this release.',
    'Run `trunklinectl migrate` with TRUNKLINE_MIGRATE_URL, or start a process that has it.',
  ),
  unreadable: failure(
    'The role of TRUNKLINE_DATABASE_URL may not read which migrations were applied.',
    'Run `trunklinectl migrate` with TRUNKLINE_MIGRATE_URL, which gives the roles their rights.',
  ),
  newer: failure(
    'The database has the schema of a release after the next one.',
    'Start a newer release, or restore a backup of the time of this one (docs/running/upgrading.md).',
  ),
  unreleased: failure(
    'The database has the schema of a commit between two releases.',
    'Use a database of the previous release, or an empty one (docs/running/upgrading.md).',
  ),
};

function checkRole(tier: string, facts: RoleFacts | null): readonly Finding[] {
  if (!facts) {
    const todo = 'Give gateways and workers roles of their own (docs/running/postgres.md).';
    return [
      warning(`The role of ${tier}s does not exist, so that they use one with more rights than they need.`, todo),
    ];
  }
  const { role, missing, excess, builtin, powers } = facts;
  const migrate =
    'Run `trunklinectl migrate` with TRUNKLINE_MIGRATE_URL, which gives the roles their rights and no others.';
  const findings = [
    ...(missing === null ? [] : [failure(`The role \`${role}\` lacks ${missing}.`, migrate)]),
    ...(excess === null ? [] : [failure(`The role \`${role}\` has ${excess}, which ${tier}s do not need.`, migrate)]),
    ...(builtin === null
      ? []
      : [
          warning(
            `The role \`${role}\` may call \`${builtin}\` of Postgres, which ${tier}s do not need.`,
            'Run infra/postgres/roles.sql as a superuser (docs/running/postgres.md).',
          ),
        ]),
    ...powers.map((power) =>
      failure(
        `The role \`${role}\` is more than ${tier}s need: ${power}.`,
        `Have a superuser take it from the role (infra/postgres/roles.sql shows how it is to be).`,
      ),
    ),
  ];
  return findings.length > 0
    ? findings
    : [ok(`The role \`${role}\` has the rights that ${tier}s need, and no others.`)];
}

async function checkSecrets(settings: DoctorSettings, db: Database): Promise<readonly Finding[]> {
  const { TRUNKLINE_SECRET: secret, TRUNKLINE_OLD_SECRETS: old } = settings.config;
  if (secret === undefined || old === undefined) return [];
  const vault = vaultOf({ TRUNKLINE_SECRET: secret, TRUNKLINE_OLD_SECRETS: old });
  try {
    await requireKnownSecrets(db, vault).catch((error: unknown) => {
      // Gateways may not read the remote passwords.
      if (isMissingRight(error)) return requireKnownKeys(db, vault);
      throw error;
    });
    return [ok('The secrets are those under which API keys and remote passwords were written.')];
  } catch (error) {
    const todo = 'Set TRUNKLINE_SECRET as for all other processes, and former ones in TRUNKLINE_OLD_SECRETS.';
    return [failure(`${toOneLine(error)}.`, todo)];
  }
}

async function checkAdministrators(db: Database): Promise<Finding> {
  const found = await db.select({ id: users.id }).from(users).where(and(users.admin, users.active)).limit(1);
  if (found.length > 0) return ok('There is an active administrator.');
  return failure('There is no active administrator.', 'Run `trunklinectl create-admin USERNAME`.');
}

/** Asks what a worker asks at its start: whether Postgres allows one more of them. */
async function checkConnections({ config }: DoctorSettings, url: string): Promise<Finding> {
  const pools = openPools(url, 'trunklinectl doctor', {
    reads: { connectionsMax: config.TRUNKLINE_READ_CONNECTIONS ?? 1 },
    writes: { connectionsMax: config.TRUNKLINE_WRITE_CONNECTIONS ?? 1 },
    heartbeats: { connectionsMax: 1 },
  });
  const todo =
    'Raise max_connections of Postgres, or lower TRUNKLINE_READ_CONNECTIONS and TRUNKLINE_WRITE_CONNECTIONS.';
  let warned: Finding | null = null;
  try {
    await pools.requireConnections((text) => (warned = warning(`${text}.`, todo)));
    return warned ?? ok('Postgres allows the connections of one more worker.');
  } catch (error) {
    return failure(`${toOneLine(error)}.`, todo);
  } finally {
    await pools.close();
  }
}

async function inspect(settings: DoctorSettings, url: string): Promise<DatabaseFacts | Finding> {
  const { TRUNKLINE_GATEWAY_ROLE: gateway = '', TRUNKLINE_WORKER_ROLE: worker = '' } = settings.config;
  try {
    return await inspectDatabase(url, { gateway, worker });
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && /^(28|3D)/.test(String(error.code));
    const todo = isRefused
      ? 'Correct role, password and name of the database in TRUNKLINE_DATABASE_URL.'
      : 'Start Postgres, or correct host and port in TRUNKLINE_DATABASE_URL.';
    return failure(
      `The database ${isRefused ? 'refuses the connection' : 'does not answer'}: ${toOneLine(error)}.`,
      todo,
    );
  }
}

/** Checks the server, the schema, the roles, the clock, the secrets and the connections. */
export async function checkDatabase(settings: DoctorSettings, machine: Machine): Promise<readonly Finding[]> {
  const url = settings.config.TRUNKLINE_DATABASE_URL;
  if (url === undefined) return [];
  const facts = await inspect(settings, url);
  if ('check' in facts) return [facts];
  const findings = [checkServer(facts), checkClock(facts, machine), schemaFindings[facts.schema]];
  if (facts.schema !== 'current') return findings;
  const { db, close } = openDatabase(url, { connectionsMax: 1, name: 'trunklinectl doctor' });
  try {
    return [
      ...findings,
      ...checkRole('gateway', facts.tiers.gateway),
      ...checkRole('worker', facts.tiers.worker),
      ...(await checkSecrets(settings, db)),
      await checkAdministrators(db),
      await checkConnections(settings, url),
    ];
  } finally {
    await close();
  }
}
