import { expect, it } from 'vitest';
import { seededRandom } from '../../harness/random.ts';
import { apiRequest, withoutRepeats } from './bench-request.ts';

it('never draws the same request twice in succession', () => {
  const random = seededRandom(1, 0);
  const sample = withoutRepeats(() => apiRequest('x', 'key', 'get_repo', { repoid: random.below(3) }));
  const bodies = Array.from({ length: 200 }, () => sample().body);
  expect(bodies.filter((body, index) => body === bodies[index - 1])).toEqual([]);
  expect(new Set(bodies).size).toBe(3);
});

it('refuses draws that have only one request', () => {
  const sample = withoutRepeats(() => ({ kind: 'page', path: '/' }));
  sample();
  expect(sample).toThrow('no other request than page can be sampled');
});
