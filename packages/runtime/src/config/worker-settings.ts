import { resolve } from 'node:path';
import * as v from 'valibot';
import {
  commandValue,
  ConfigError,
  type ConfigOf,
  integerValue,
  listValue,
  optionalTextValue,
  setting,
} from './setting.ts';

/** A storage that a worker is told to serve. */
export interface StorageSetting {
  readonly name: string;
  readonly root: string;
}

const storagesMax = 32;
const nameGrammar = /^[a-z0-9-]{1,32}$/;
const nameProblem = 'must have names of 1 to 32 lowercase letters, digits and `-`';

function parseSetting(word: string): StorageSetting {
  const [name = '', ...path] = word.split('=');
  return { name: name.trim(), root: path.join('=').trim() };
}

/** Returns whether one directory is the other one or lies in it: a rescan would find one storage's files in the other. */
function overlap(one: StorageSetting, other: StorageSetting): boolean {
  const [a, b] = [`${resolve(one.root)}/`, `${resolve(other.root)}/`];
  return a.startsWith(b) || b.startsWith(a);
}

const eachPair = (settings: readonly StorageSetting[], wrong: (a: StorageSetting, b: StorageSetting) => boolean) =>
  settings.some((one, at) => settings.slice(at + 1).some((other) => wrong(one, other)));

/** `name=path` pairs, separated by commas. */
export const storagesValue = v.pipe(
  listValue,
  v.maxLength(storagesMax, `must not name more than ${storagesMax} storages`),
  v.transform((words): readonly StorageSetting[] => words.map(parseSetting)),
  v.check((settings) => settings.every(({ root }) => root !== ''), 'must be a list of name=path, separated by commas'),
  v.check((settings) => settings.every(({ name }) => nameGrammar.test(name)), nameProblem),
  v.check((settings) => !eachPair(settings, (one, other) => one.name === other.name), 'must name each storage once'),
  v.check((settings) => !eachPair(settings, overlap), 'must not have a path that is in another one'),
);

/** Names of storages, separated by commas. */
const storageNamesValue = v.pipe(
  listValue,
  v.maxLength(storagesMax, `must not name more than ${storagesMax} storages`),
  v.check((names) => names.every((name) => nameGrammar.test(name)), nameProblem),
);

/** The settings that name the storages of a worker. */
export const storageSettings = {
  TRUNKLINE_STORAGE_ROOT: setting(optionalTextValue, {
    default: '',
    description:
      'Directory that holds the repositories, as the storage `default`; needed unless TRUNKLINE_STORAGES is set or the worker serves the lane metadata alone',
  }),
  TRUNKLINE_STORAGES: setting(storagesValue, {
    default: '',
    description:
      'Storages that this worker serves, as name=path, separated by commas; TRUNKLINE_STORAGE_ROOT alone is the same as default=<path>',
  }),
  TRUNKLINE_STORAGE_CREATE: setting(storageNamesValue, {
    default: '',
    description:
      'Names of new storages, separated by commas: their directories must be empty at the first start; a new instance needs it for every storage but the first',
  }),
};

/** Returns the storages that the settings name, none if there are none; throws ConfigError for settings that differ. */
export function readStorages(settings: ConfigOf<typeof storageSettings>): readonly StorageSetting[] {
  const { TRUNKLINE_STORAGE_ROOT: root, TRUNKLINE_STORAGES: named, TRUNKLINE_STORAGE_CREATE: created } = settings;
  const only = root === null ? [] : [{ name: 'default', root }];
  const storages = named.length > 0 ? named : only;
  if (
    only.some(
      (one) => !storages.some(({ name, root: path }) => name === one.name && resolve(path) === resolve(one.root)),
    )
  ) {
    throw new ConfigError('TRUNKLINE_STORAGE_ROOT must be the path of `default` in TRUNKLINE_STORAGES, or not be set');
  }
  if (created.some((name) => !storages.some((one) => one.name === name))) {
    throw new ConfigError('TRUNKLINE_STORAGE_CREATE must only name storages of TRUNKLINE_STORAGES');
  }
  return storages;
}

/** The settings of a worker's connections to Postgres. */
export const poolSettings = {
  TRUNKLINE_READ_CONNECTIONS: setting(integerValue(1, 1_000), {
    default: '4',
    description: 'Maximum connections to Postgres for reads',
  }),
  TRUNKLINE_WRITE_CONNECTIONS: setting(integerValue(1, 1_000), {
    default: '6',
    description: 'Maximum connections to Postgres for changes and operations; heartbeats have one more',
  }),
};

/** The settings of the programs that a worker runs. */
export const commandSettings = {
  TRUNKLINE_GIT_COMMAND: setting(commandValue, {
    default: '["git"]',
    description: 'Command that starts git, as a JSON list',
  }),
  TRUNKLINE_HG_COMMAND: setting(commandValue, {
    default: '["hg"]',
    description: 'Command that starts Mercurial, as a JSON list',
  }),
  TRUNKLINE_BZIP2_COMMAND: setting(commandValue, {
    default: '["bzip2"]',
    description: 'Command that starts bzip2, as a JSON list; only for archives of that format',
  }),
};

/** How much memory a worker gives to git and hg. */
export const childMemorySetting = setting(integerValue(0, 2 ** 50), {
  default: '0',
  description:
    'Memory that all git and hg processes of this worker may use together; 0 is a quarter of the memory of the machine or of the cgroup',
});
