import * as fc from 'fast-check';
import { ErrorCollector } from '../../../shared/validation/error-collector';

describe('ErrorCollector', () => {
  it('gathers messages by path, in their order (Spec §7.2)', () => {
    const errors = new ErrorCollector();
    expect(errors.isEmpty).toBe(true);
    errors.add('[1].Email', 'b');
    errors.add('[0].Email', 'a');
    errors.add('[1].Email', 'a');
    expect(errors.isEmpty).toBe(false);
    expect(Object.entries(errors.toErrors())).toStrictEqual([
      ['[1].Email', ['b', 'a']],
      ['[0].Email', ['a']],
    ]);
  });

  it('keeps 100 messages and then is full (D-22)', () => {
    const errors = new ErrorCollector();
    for (let index = 0; index < 99; index += 1) errors.add(`[${index % 7}]`, `message ${index}`);
    expect(errors.isFull).toBe(false);
    errors.add('', 'the last one');
    expect(errors.isFull).toBe(true);
    errors.add('', 'one too many');
    expect(Object.values(errors.toErrors()).flat()).toHaveLength(100);
    expect(errors.toErrors()['']).toStrictEqual(['the last one']);
  });

  it('lists what was added, each message of a path once, whatever the path (D-22)', () => {
    const added = fc.array(
      fc.tuple(fc.constantFrom('', '__proto__', '[0]', 'constructor'), fc.constantFrom('a', 'b', 'c')),
    );
    fc.assert(
      fc.property(added, (violations) => {
        const errors = new ErrorCollector();
        for (const [path, message] of violations) errors.add(path, message);
        const listed = Object.entries(errors.toErrors()).flatMap(([path, messages]) =>
          messages.map((message) => `${path}|${message}`),
        );
        expect(listed.sort()).toStrictEqual([...new Set(violations.map((violation) => violation.join('|')))].sort());
      }),
    );
  });
});
