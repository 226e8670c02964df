import {
  type Database,
  foldCase,
  generateApiKey,
  openDatabase,
  type Pools,
  prepareSchema,
  requireKnownSecrets,
  type SecretVault,
  toStoredKey,
  userGlobalPermissions,
  users,
  whenDatabaseWorks,
  whileOthersWait,
} from '@trunkline/db';
import { answerWhileWaiting, hashPassword, type Logger } from '@trunkline/runtime';
import { eq } from 'drizzle-orm';
import { type ClaimedStorage, claimStorages, type StorageClaims } from '../storage/claim-storages.ts';
import { insertUser } from '../domain/user/user-store.ts';
import type { readWorkerConfig } from '../config.ts';

export interface FirstAdmin {
  readonly username: string;
  readonly password: string | null;
  /** API key of the first administrator; no administrator is created when it is null. */
  readonly apiKey: string | null;
}

/** The default permissions of a fresh instance; administrators can change them. */
const defaultPermissions = [
  'repository.read',
  'group.read',
  'usergroup.read',
  'hg.create.repository',
  'hg.fork.repository',
  'hg.register.manual_activate',
];

async function ensureDefaultUser(db: Database, vault: SecretVault): Promise<void> {
  const [known] = await db.select({ id: users.id }).from(users).where(eq(users.usernameKey, 'default'));
  if (known) return;
  await db.transaction(async (tx) => {
    const user = await insertUser(tx, {
      ...noDetails,
      username: 'default',
      email: asSent('anonymous@localhost'),
      firstname: 'Anonymous',
      lastname: 'User',
      key: toStoredKey(vault, generateApiKey()),
    });
    await tx
      .insert(userGlobalPermissions)
      .values(defaultPermissions.map((permission) => ({ userId: user.id, permission })));
  });
}

const asSent = (address: string) => ({ sent: address, address });

const noDetails = {
  passwordHash: null,
  firstname: null,
  lastname: null,
  active: true,
  admin: false,
  ldapDn: null,
  externType: null,
  externName: null,
};

async function ensureAdmin(db: Database, vault: SecretVault, admin: FirstAdmin): Promise<void> {
  const [known] = await db.select({ id: users.id }).from(users).where(eq(users.admin, true)).limit(1);
  if (known || admin.apiKey === null) return;
  const passwordHash = admin.password === null ? null : await hashPassword(admin.password);
  const { username, apiKey } = admin;
  await db.transaction((tx) =>
    insertUser(tx, {
      ...noDetails,
      username,
      email: asSent(`${foldCase(username)}@localhost`),
      passwordHash,
      admin: true,
      key: toStoredKey(vault, apiKey),
    }),
  );
}

/**
 * Creates the user `default`, the first administrator and the worker's storages, as far as they are missing; without them
 * no call works. No other process of the instance starts meanwhile.
 */
export async function prepareInstance(
  url: string,
  options: { vault: SecretVault; claims: StorageClaims; admin: FirstAdmin },
): Promise<readonly ClaimedStorage[]> {
  const { db, close } = openDatabase(url, { connectionsMax: 1, name: 'trunkline prepare' });
  try {
    const { vault, claims } = options;
    await requireKnownSecrets(db, vault);
    await ensureDefaultUser(db, vault);
    await ensureAdmin(db, vault, options.admin);
    return await claimStorages(db, claims);
  } finally {
    await close();
  }
}

/**
 * Waits for a database that is away; migrates the schema or waits for it, checks the number of connections, creates the
 * first administrator and claims the worker's storages; only one process at a time does so.
 */
export async function prepareDatabase(
  config: ReturnType<typeof readWorkerConfig>,
  tools: { readonly pools: Pools<string>; readonly vault: SecretVault; readonly logger: Logger },
): Promise<readonly ClaimedStorage[]> {
  const url = config.TRUNKLINE_DATABASE_URL;
  const admin = {
    username: config.TRUNKLINE_ADMIN_USER,
    password: config.TRUNKLINE_ADMIN_PASSWORD,
    apiKey: config.TRUNKLINE_ADMIN_API_KEY || null,
  };
  const claims = { storages: config.storages, created: config.TRUNKLINE_STORAGE_CREATE };
  const { logger, pools, vault } = tools;
  const address = { host: config.TRUNKLINE_METRICS_HOST, port: config.TRUNKLINE_METRICS_PORT, logger };
  const warn = (text: string) => logger.warn(text);
  pools.watch(warn);
  return answerWhileWaiting(address, (onWait) =>
    whenDatabaseWorks(async () => {
      const roles = { gateway: config.TRUNKLINE_GATEWAY_ROLE, worker: config.TRUNKLINE_WORKER_ROLE };
      await prepareSchema({ url, migrateUrl: config.TRUNKLINE_MIGRATE_URL, tier: 'worker', roles }, onWait);
      return whileOthersWait(url, async () => {
        await pools.requireConnections(warn);
        return prepareInstance(url, { vault, claims, admin });
      });
    }, onWait),
  );
}
