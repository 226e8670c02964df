import { generateApiKey, replaceBuiltinKey, toStoredKey } from '@trunkline/db';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readDatabaseConfig } from '../config.ts';
import { RefusedError } from '../errors.ts';
import { lockUser, recordChange, withVault } from '../with-database.ts';

async function act({ environment }: Context, name: string): Promise<Outcome> {
  const apiKey = generateApiKey();
  const username = await withVault(readDatabaseConfig(environment), (db, vault) =>
    db.transaction(async (tx) => {
      const user = await lockUser(tx, name);
      if (user.username === 'default') throw new RefusedError('the user `default` has no key to use');
      await replaceBuiltinKey(tx, user.id, toStoredKey(vault, apiKey));
      await recordChange(tx, 'reset_api_key', { userid: user.username });
      return user.username;
    }),
  );
  return {
    text: `reset the api key of user \`${username}\`\napi key: ${apiKey}`,
    record: { username, api_key: apiKey },
  };
}

export const resetKey: AddCommand = (program, choose) => {
  program
    .command('reset-key')
    .description("replace a user's built-in API key and print the new one")
    .argument('<USERNAME>', 'name of the user')
    .action((name: string) => choose((context) => act(context, name)));
};
