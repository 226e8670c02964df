import { expect, it } from 'vitest';
import { Condition } from './condition.ts';

it('resolves for all who wait, and not for who waits later', async () => {
  const condition = new Condition();
  condition.notifyAll();
  const resolved: string[] = [];
  const waitAs = (name: string) => condition.wait().then(() => resolved.push(name));
  const both = Promise.all([waitAs('one'), waitAs('two')]);
  condition.notifyAll();
  const later = waitAs('later');
  await both;
  expect(resolved).toEqual(['one', 'two']);
  condition.notifyAll();
  await later;
  expect(resolved).toEqual(['one', 'two', 'later']);
});
