import { commandValue, integerValue, setting } from './setting.ts';

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
