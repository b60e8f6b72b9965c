/** The latencies that the profile `cloud` adds. */
import { SeededRandom } from '../../support/seeded-random';
import { percentile } from '../statistics';
import { LatencyModel, STORAGE } from './latencies';

const drawn = (draw: (model: LatencyModel) => number) => {
  const model = new LatencyModel(new SeededRandom());
  return Array.from({ length: 20_000 }, () => draw(model));
};

it.each<[what: string, median: number, p99: number, draw: (model: LatencyModel) => number]>([
  ['a read', 10, 45, (model) => model.drawFor('BatchGetDocuments')],
  ['a commit', 25, 100, (model) => model.drawFor('Commit')],
  ['a request to Cloud Storage', 40, 200, (model) => model.draw(STORAGE)],
])('have the median and the 99th percentile of %s', (_, median, p99, draw) => {
  const values = drawn(draw);
  expect(percentile(values, 0.5) / median).toBeCloseTo(1, 1);
  expect(percentile(values, 0.99) / p99).toBeGreaterThan(0.85);
  expect(percentile(values, 0.99) / p99).toBeLessThan(1.15);
  expect(Math.min(...values)).toBeGreaterThan(0);
});

it('add nothing to a call that is not known', () => {
  expect(drawn((model) => model.drawFor('CreateTopic')).every((ms) => ms === 0)).toBe(true);
});
