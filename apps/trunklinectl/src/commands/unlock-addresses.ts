import { userIpAddresses, type Transaction } from '@trunkline/db';
import { canonicalNetwork } from '@trunkline/runtime';
import { eq } from 'drizzle-orm';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readDatabaseConfig } from '../config.ts';
import { UsageError } from '../errors.ts';
import { lockUser, recordChange, withDatabase } from '../with-database.ts';

interface Options {
  readonly allow?: string;
  readonly all?: true;
}

interface User {
  readonly id: number;
  readonly username: string;
}

async function allow(tx: Transaction, { id, username }: User, network: string): Promise<Outcome> {
  const added = await tx
    .insert(userIpAddresses)
    .values({ userId: id, ipAddr: network })
    .onConflictDoNothing()
    .returning({ id: userIpAddresses.id });
  if (added.length > 0) await recordChange(tx, 'add_user_ip', { userid: username, ip: network });
  return {
    text: `user \`${username}\` may call from \`${network}\``,
    record: { username, added: added.length > 0 ? [network] : [] },
  };
}

async function removeList(tx: Transaction, { id, username }: User): Promise<string[]> {
  const removed = await tx
    .delete(userIpAddresses)
    .where(eq(userIpAddresses.userId, id))
    .returning({ network: userIpAddresses.ipAddr });
  for (const { network } of removed) await recordChange(tx, 'remove_user_ip', { userid: username, ip: network });
  return removed.map(({ network }) => network);
}

/** Both lists go: a user may call from the addresses of the own list and of that of `default`, if one of them has any. */
async function removeBoth(tx: Transaction, user: User): Promise<Outcome> {
  const everyone = await lockUser(tx, 'default');
  const removed = { own: await removeList(tx, user), everyone: await removeList(tx, everyone) };
  const shown = (networks: readonly string[]) => (networks.length === 0 ? 'none' : networks.join(', '));
  return {
    text: [
      `user \`${user.username}\` may call from any address`,
      `removed from the list of \`${user.username}\`: ${shown(removed.own)}`,
      `removed from the list of \`default\`, which is for everyone: ${shown(removed.everyone)}`,
    ].join('\n'),
    record: { username: user.username, removed: removed.own, removed_for_everyone: removed.everyone },
  };
}

async function act({ environment }: Context, name: string, options: Options): Promise<Outcome> {
  if ((options.allow === undefined) === (options.all === undefined)) {
    throw new UsageError('say --allow NETWORK or --all');
  }
  const network = options.allow === undefined ? null : canonicalNetwork(options.allow);
  if (options.allow !== undefined && network === null) {
    throw new UsageError('Invalid value for `--allow`: must be an address or a network');
  }
  return withDatabase(readDatabaseConfig(environment), (db) =>
    db.transaction(async (tx) => {
      const user = await lockUser(tx, name);
      return network === null ? removeBoth(tx, user) : allow(tx, user, network);
    }),
  );
}

export const unlockAddresses: AddCommand = (program, choose) => {
  program
    .command('unlock-addresses')
    .description('let in a user whom lists of addresses lock out')
    .argument('<USERNAME>', 'name of the user')
    .option('--allow <NETWORK>', "add an address or a network to the user's list")
    .option('--all', "remove the user's list and that of `default`, which is for everyone")
    .action((name: string, options: Options) => choose((context) => act(context, name, options)));
};
