import { CommandLines } from '../../layout/command-lines.tsx';
import { firstPush, type ClientAddress } from './client-commands.ts';

/** Renders the commands of a first push. */
export function FirstPush({ address }: { address: ClientAddress }) {
  const { ofFiles, ofRepository } = firstPush(address);
  return (
    <>
      <h3>Push files</h3>
      <CommandLines label="Commands to push files" lines={ofFiles} />
      <h3>Push a repository that exists</h3>
      <CommandLines label="Commands to push a repository" lines={ofRepository} />
    </>
  );
}
