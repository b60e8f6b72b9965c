import { BoundedMap } from '../../shared/platform/bounded-map';

it('gives the value that was set last, also of a key that is among the older ones', () => {
  const map = new BoundedMap<string, number>(2);
  expect(map.get('a')).toBeUndefined();
  for (const [key, value] of [['a', 1], ['a', 2], ['b', 3]] as const) map.set(key, value); // prettier-ignore
  expect([map.get('a'), map.get('b')]).toStrictEqual([2, 3]);
  map.set('a', 4);
  expect([map.get('a'), map.get('b')]).toStrictEqual([4, 3]);
});
