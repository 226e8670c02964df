import { UsageError } from './client-error.ts';
import type { Options } from './command-line.ts';
import type { Config } from './config.ts';
import { writeConfigFile, writeProfile } from './config-file.ts';
import { endpointOf } from './find-connection.ts';
import { createSources, readKey } from './sources.ts';
import type { Terminal } from './terminal.ts';

const profileName = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Stores host and key of the command line in the configuration file, in a profile when one is named. */
export async function saveConfig(options: Options, config: Config, terminal: Terminal): Promise<void> {
  if (!options.apikey || !options.apihost) throw new UsageError('--save-config requires --apikey and --apihost');
  endpointOf(options.apihost);
  const profile = options.profile ?? config.profile;
  if (profile !== undefined && !profileName.test(profile)) {
    throw new UsageError(
      'Invalid profile: expected at most 64 letters, digits, `-`, `_` and `.`, a letter or digit first',
    );
  }
  const path = options.config ?? config.configPath;
  if (path === undefined) throw new UsageError('Could not find a home directory, please specify --config');
  const { apikey = '', apihost } = await readKey(
    { ...options, apihost: options.apihost },
    createSources(terminal.input),
  );
  if (profile === undefined) {
    const done = await writeConfigFile(path, { apikey, apihost });
    terminal.out(done === 'created' ? `Created new config in ${path}\n` : `Updated config in ${path}\n`);
  } else {
    const done = await writeProfile(path, profile, { apikey, apihost });
    terminal.out(`${done === 'created' ? 'Created' : 'Updated'} profile ${profile} in ${path}\n`);
  }
}
