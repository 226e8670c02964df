import { expect, it } from 'vitest';
import { admin, makeUser, sql, uniqueName } from '../harness/shared-cluster.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

/** Creates repositories of these sizes on the disk, as their names say; null for one that was not measured. */
async function makeSized(group: string, owner: string, sizes: Readonly<Record<string, number | null>>): Promise<void> {
  for (const [name, size] of Object.entries(sizes)) {
    const repo_name = `${group}${name}`;
    await admin.result('create_repo', { repo_name, repo_type: 'git', owner });
    await sql`update repositories set size_bytes = ${size} where name = ${repo_name}`;
  }
}

it('administrators see the bytes of a group with its subgroups, and of an owner, and how many are unknown', async () => {
  const group = uniqueName('sized');
  const owner = await makeUser();
  const boss = await makeVisitor({ admin: true });
  await makeSized(group, owner.username, { '/one': 1_000, '/sub/two': 20_000, '/sub/unknown': null });
  // Names that are near those of the group, and a repository of the group that somebody else owns.
  await makeSized(group, owner.username, { '-beside/x': 300_000, '1/y': 4_000_000 });
  await makeSized(group, 'admin', { '/other': 50_000_000 });

  const ofGroup = await admin.result<{ group_id: number }>('get_repo_group', { repogroupid: group });
  expect(ofGroup).toMatchObject({ size_bytes: 50_021_000, size_unknown: 1 });
  const sub = await admin.result('get_repo_group', { repogroupid: `${group}/sub` });
  expect(sub).toMatchObject({ size_bytes: 20_000, size_unknown: 1 });
  const ofOwner = await admin.result('get_user', { userid: owner.username });
  expect(ofOwner).toMatchObject({ size_bytes: 4_321_000, size_unknown: 1 });

  const groupPage = await boss.web.get(`/_admin/repo_groups/${ofGroup.group_id}/edit`);
  expect(groupPage.text).toContain('subgroups: 4 repositories, 50 MB on the disk, without 1 of unknown size.');
  const userPage = await boss.web.get(`/_admin/users/${owner.id}/edit`);
  expect(userPage.text).toContain('the user: 5 repositories, 4.3 MB on the disk, without 1 of unknown size.');
});

it('others see no bytes', async () => {
  const owner = await makeUser();
  const group = uniqueName('sized');
  await makeSized(group, owner.username, { '/one': 1_000 });
  for (const record of [
    await owner.client.result<object>('get_user'),
    await owner.client.result<object>('get_repo_group', { repogroupid: group }),
  ]) {
    expect(Object.keys(record).filter((key) => key.startsWith('size'))).toEqual([]);
  }
});

it('what is being created or deleted does not count, and an empty group has no bytes', async () => {
  const group = uniqueName('sized');
  await makeSized(group, 'admin', { '/gone': 1_000 });
  await sql`update repositories set state = 'deleting' where name = ${`${group}/gone`}`;
  try {
    expect(await admin.result('get_repo_group', { repogroupid: group })).toMatchObject({
      size_bytes: 0,
      size_unknown: 0,
    });
  } finally {
    await sql`update repositories set state = 'ready' where name = ${`${group}/gone`}`;
  }
});
