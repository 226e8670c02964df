import { laneNames, usernameProblem, type Lane } from '@trunkline/contracts';
import {
  childMemorySetting,
  clusterSettings,
  commandSettings,
  ConfigError,
  dataClientSettings,
  dataServerSettings,
  flagValue,
  integerValue,
  listValue,
  metricsPortSetting,
  migrateSettings,
  optionalTextValue,
  poolSettings,
  readConfig,
  readStorages,
  setting,
  storageSettings,
  storagesValue,
  textValue,
  type StorageSetting,
} from '@trunkline/runtime';
import * as v from 'valibot';
import { foldCase } from '@trunkline/db';
import { crashPoints, crashSignals, type ArmedCrashPoint } from './crash-points.ts';

const lanesValue = v.pipe(
  listValue,
  v.check(
    (words) => words.every((word) => laneNames.some((lane) => lane === word)),
    `must be some of ${laneNames.join(', ')}`,
  ),
  v.transform((words): readonly Lane[] => laneNames.filter((lane) => words.includes(lane))),
  v.minLength(1, 'must name at least one lane'),
);

/** A whole number; empty means "not set" and is read as null. */
const optionalIntegerValue = (min: number, max: number) =>
  v.union([
    v.pipe(
      v.literal(''),
      v.transform(() => null),
    ),
    integerValue(min, max),
  ]);

const adminNameValue = v.pipe(
  textValue,
  v.check(
    (name) => usernameProblem(name) === undefined,
    ({ input }) => `is refused: ${usernameProblem(input)}`,
  ),
  v.check((name) => foldCase(name) !== 'default', 'must not be `default`, the user for everybody'),
);

/** Every environment variable of the worker; docs/running/settings.md lists them. */
export const workerSettings = {
  ...clusterSettings,
  ...dataServerSettings,
  ...dataClientSettings,
  TRUNKLINE_METRICS_PORT: metricsPortSetting('worker'),
  ...storageSettings,
  TRUNKLINE_COPY_STORAGES: setting(storagesValue, {
    default: '',
    description:
      'Storages of other workers of this machine and user, as name=path: copies for them are written to their directories, not sent to their data ports',
  }),
  TRUNKLINE_STORAGE_PROBE_SECONDS: setting(integerValue(1, 3_600), {
    default: '10',
    description: 'Seconds between two checks of the storage; each check writes a small file',
  }),
  TRUNKLINE_LANES: setting(lanesValue, {
    default: 'metadata,storage,download,transfer,wire,wire-push',
    description:
      'Lanes that this worker serves: metadata (database only), storage (short work on repositories, and forks), download (files and archives), transfer (imports, pulls, rescans, moves and requested maintenance), wire (clones and fetches by git and Mercurial), wire-push (pushes by git and Mercurial)',
  }),
  ...poolSettings,
  TRUNKLINE_ALLOWED_REMOTES: setting(listValue, {
    default: '',
    description: 'Private, loopback or link-local networks (CIDR) that imports and pulls may reach',
  }),
  TRUNKLINE_SSH_DIR: setting(optionalTextValue, {
    default: '',
    description: 'Directory with id_ed25519 and known_hosts; without it ssh remotes are refused',
  }),
  TRUNKLINE_IMPORT_BYTES_MAX: setting(integerValue(1, 2 ** 46), {
    default: '21474836480',
    description: 'Maximum bytes that one import or pull may receive',
  }),
  TRUNKLINE_CHILD_MEMORY_BYTES: childMemorySetting,
  TRUNKLINE_COMMAND_NICE: setting(integerValue(0, 19), {
    default: '10',
    description:
      'Priority (nice value) of git and hg processes that have used much processor time; 0 leaves it as it is',
  }),
  TRUNKLINE_REMOTE_RATE_MIN: setting(integerValue(0, 2 ** 30), {
    default: '1024',
    description: 'Bytes a second, measured over a minute, below which a remote is given up; 0 for no limit',
  }),
  TRUNKLINE_LEASE_SECONDS: setting(integerValue(3, 3_600), {
    default: '30',
    description: 'Seconds without a heartbeat after which the operations of a worker are taken over',
  }),
  TRUNKLINE_TRASH_DAYS: setting(integerValue(0, 3_650), {
    default: '7',
    description: 'Days for which the files of deleted repositories are kept',
  }),
  TRUNKLINE_MOVED_COPY_SECONDS: setting(integerValue(0, 2_592_000), {
    default: '3600',
    description:
      'Seconds for which the former files of a repository that was moved stay, for reads that have begun; then they go to the trash',
  }),
  TRUNKLINE_DRAIN_MOVES: setting(integerValue(0, 64), {
    default: '2',
    description: 'Maximum repositories that are moved away from a draining storage at once; 0 moves none',
  }),
  TRUNKLINE_MAINTENANCE: setting(flagValue, {
    default: 'true',
    description: 'Whether this worker packs the files of repositories in the background when it is time',
  }),
  TRUNKLINE_MAINTENANCE_CHANGES: setting(integerValue(1, 1_000_000), {
    default: '20',
    description: 'Changes (pushes, pulls) of a repository after which its files are packed',
  }),
  TRUNKLINE_MAINTENANCE_QUIET_SECONDS: setting(integerValue(0, 2_592_000), {
    default: '3600',
    description: 'Seconds without a change after which the files of a repository that was changed are packed',
  }),
  TRUNKLINE_UNREACHABLE_DAYS: setting(integerValue(1, 3_650), {
    default: '14',
    description: 'Days for which objects of git stay after they were found that no reference reaches',
  }),
  TRUNKLINE_VERIFY_DAYS: setting(integerValue(0, 3_650), {
    default: '30',
    description: 'Days after which all of a repository is read again to find damage; 0 reads none without being asked',
  }),
  TRUNKLINE_JOURNAL_DAYS: setting(integerValue(1, 36_500), {
    default: '90',
    description: 'Days for which ended operations are kept, and the counts of clones and fetches',
  }),
  TRUNKLINE_AUDIT_DAYS: setting(integerValue(0, 36_500), {
    default: '0',
    description: 'Days for which the audit log is kept; 0 keeps all of it',
  }),
  TRUNKLINE_PUSH_WAIT_SECONDS: setting(integerValue(1, 3_600), {
    default: '60',
    description:
      'Seconds that a push which has arrived waits for other operations on its repository, before it is refused as busy',
  }),
  TRUNKLINE_FORK_WAIT: setting(integerValue(0, 25), {
    default: '5',
    description:
      'Seconds that fork_repo, move_repo and maintain_repo wait for their end; what takes longer continues in the background',
  }),
  TRUNKLINE_NODE_CACHE_BYTES: setting(integerValue(1, 2 ** 40), {
    default: '67108864',
    description:
      'Memory for recently requested lists of files and directories, by which TRUNKLINE_CACHE_BYTES is raised',
  }),
  TRUNKLINE_CACHE_BYTES: setting(integerValue(1, 2 ** 40), {
    default: '201326592',
    description:
      'Memory for what was read of repositories: replies, references, histories, small files and feeds, and lists of files and directories with the memory of these; one repository has at most a quarter of all. Up to a quarter more is for replies of which it is not decided yet whether they are cached',
  }),
  TRUNKLINE_WIRE_CACHE_BYTES: setting(optionalIntegerValue(0, 2 ** 46), {
    default: '',
    description:
      'Bytes of the files in which this worker keeps large answers to clones and fetches; 0 keeps none, and when empty it is the smaller of 10 GB and a twentieth of what is free at the start',
  }),
  TRUNKLINE_WIRE_CACHE_DIR: setting(optionalTextValue, {
    default: '',
    description: 'Directory for these files, which have no names; when empty, that of temporary files',
  }),
  TRUNKLINE_RSS_ITEMS: setting(integerValue(1, 200), {
    default: '20',
    description: 'Changesets in the feed of a repository',
  }),
  TRUNKLINE_RSS_INCLUDE_DIFF: setting(flagValue, {
    default: 'false',
    description: 'Whether feeds of repositories show diffs',
  }),
  TRUNKLINE_RSS_CUT_OFF_LIMIT: setting(integerValue(1, 2 ** 20), {
    default: '32768',
    description: 'Characters after which the description of a changeset and its diff are cut off in feeds',
  }),
  ...commandSettings,
  TRUNKLINE_ADMIN_USER: setting(adminNameValue, {
    default: 'admin',
    description: 'Username of the administrator that is created when there is none',
  }),
  TRUNKLINE_ADMIN_PASSWORD: setting(optionalTextValue, {
    default: '',
    description: 'Password of the first administrator; only used when that user is created',
  }),
  TRUNKLINE_ADMIN_API_KEY: setting(
    v.union([v.literal(''), v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/))], 'must be 40 lowercase hexadecimal digits'),
    { default: '', description: 'API key of the first administrator, who is only created when this is set' },
  ),
};

const testSettings = {
  TRUNKLINE_CRASH_AT: setting(v.picklist(['', ...crashPoints], 'must be the name of a crash point'), {
    default: '',
    description: 'Crash point at which a worker under test dies',
  }),
  TRUNKLINE_CRASH_SIGNAL: setting(v.picklist(crashSignals, 'must be SIGKILL or SIGSTOP'), {
    default: 'SIGKILL',
    description: 'Signal that a worker under test sends itself at its crash point',
  }),
};

type Settings = ReturnType<typeof readConfig<typeof workerSettings>>;

function readCrashPoint(env: NodeJS.ProcessEnv): ArmedCrashPoint | null {
  const { TRUNKLINE_CRASH_AT: name, TRUNKLINE_CRASH_SIGNAL: signal } = readConfig(testSettings, env);
  if (name === '') return null;
  if (env['NODE_ENV'] !== 'test') throw new ConfigError('TRUNKLINE_CRASH_AT must not be set unless NODE_ENV is test');
  return { name, signal };
}

/** Returns the worker's storages; none for a worker whose lanes touch no repository. */
function storagesOf(settings: Settings): readonly StorageSetting[] {
  if (settings.TRUNKLINE_LANES.every((lane) => lane === 'metadata')) return [];
  const storages = readStorages(settings);
  if (storages.length === 0) throw new ConfigError('TRUNKLINE_STORAGE_ROOT must be set, or TRUNKLINE_STORAGES');
  return storages;
}

export function readMigrateConfig(env: NodeJS.ProcessEnv = process.env) {
  return readConfig(migrateSettings, env);
}

export function readWorkerConfig(env: NodeJS.ProcessEnv = process.env) {
  const settings: Settings = readConfig(workerSettings, env);
  return { ...settings, storages: storagesOf(settings), crashPoint: readCrashPoint(env) };
}
