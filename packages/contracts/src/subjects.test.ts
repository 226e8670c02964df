import { expect, it } from 'vitest';
import { laneNames } from './lanes.ts';
import { methods } from './methods/index.ts';
import { subjects } from './subjects.ts';

it.each(laneNames)('a worker of the lane %s receives every method of that lane and of no other', (lane) => {
  const lanePattern = new RegExp(`^${subjects.rpcLane(lane).replaceAll('.', '\\.').replace('*', '[^.]+')}$`);
  for (const method of Object.keys(methods)) {
    for (const other of laneNames) expect(lanePattern.test(subjects.rpc(other, method))).toBe(other === lane);
  }
});
