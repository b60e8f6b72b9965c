import { RunReader } from '../../../shared/files/parquet/run-reader';

it('takes no empty run, of which a few bytes could hold any number', () => {
  for (const head of [0, 1]) expect(() => new RunReader(Buffer.from([head, 0, 2, 1]), 1).next()).toThrow();
  expect(new RunReader(Buffer.from([2, 1]), 1).next()).toBe(1);
});
