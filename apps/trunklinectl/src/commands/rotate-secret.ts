import { randomBytes } from 'node:crypto';
import { requireKnownSecrets, reseal } from '@trunkline/db';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readDatabaseConfig } from '../config.ts';
import { RefusedError } from '../errors.ts';
import { recordChange, vaultOf, withDatabase } from '../with-database.ts';

const secretBytes = 32;

function makeSecret(): Outcome {
  const secret = randomBytes(secretBytes).toString('hex');
  const next = 'Add it to TRUNKLINE_OLD_SECRETS of every gateway and worker first (docs/running/upgrading.md).';
  return { text: `${secret}\n${next}`, record: { secret } };
}

async function resealAll({ environment }: Context): Promise<Outcome> {
  const config = readDatabaseConfig(environment);
  const vault = vaultOf(config);
  const [current = '', ...former] = vault.secretIds;
  const { written } = await withDatabase(config, async (db) => {
    await requireKnownSecrets(db, vault);
    const sum = await reseal(db, vault, () => false);
    if (sum.written > 0) await recordChange(db, 'rotate_secret', { secret_id: current, written: sum.written });
    if (sum.unreadable > 0) {
      throw new RefusedError(
        `${sum.unreadable} API keys or remote passwords cannot be decrypted with any of the secrets`,
      );
    }
    return sum;
  });
  const next =
    former.length === 0
      ? 'TRUNKLINE_OLD_SECRETS has no former secret.'
      : 'Remove the former secrets from TRUNKLINE_OLD_SECRETS when all gateways and workers have the current one, ' +
        '14 days later if nobody is to sign in again.';
  return {
    text: `all API keys and remote passwords are encrypted with the current secret; ${written} were not before\n${next}`,
    record: { secret_id: current, former_secret_ids: former, written },
  };
}

export const rotateSecret: AddCommand = (program, choose) => {
  program
    .command('rotate-secret')
    .description('encrypt all API keys and remote passwords with TRUNKLINE_SECRET now, instead of in ten minutes')
    .option('--new', 'print a new secret, and do nothing else')
    .action((options: { readonly new?: true }) => choose(options.new ? async () => makeSecret() : resealAll));
};
