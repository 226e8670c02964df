import { lookup } from 'node:dns/promises';

export type LookupAddresses = (host: string) => Promise<readonly string[]>;

export const lookupAddresses: LookupAddresses = async (host) => {
  const answers = await lookup(host, { all: true });
  return answers.map((answer) => answer.address);
};
