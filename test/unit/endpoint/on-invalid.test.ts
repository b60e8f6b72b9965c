import { MAX_REJECTED_ELEMENTS } from '../../../shared/domain/limits';
import { withoutRefused, withSentIndexes } from '../../../shared/endpoint/on-invalid';
import { ValidationFailed } from '../../../shared/validation/validation-failed';

const part = {
  records: ['a', 'b', 'c'],
  indexes: [1, 3, 4],
  rejected: { count: 1, first: [{ index: 2, errors: {} }] },
};

describe('withoutRefused', () => {
  it('leaves out the elements of an error, and names them by their sent index, in their order (R-66)', () => {
    const error = new ValidationFailed({ '[0].Name': ['long'], '[0].Phone': ['odd'], '[2]': ['wrong'] });
    expect(withoutRefused(part, error)).toEqual({
      records: ['b'],
      indexes: [3],
      rejected: {
        count: 3,
        first: [
          { index: 1, errors: { Name: ['long'], Phone: ['odd'] } },
          { index: 2, errors: {} },
          { index: 4, errors: { '': ['wrong'] } },
        ],
      },
    });
  });

  it('lists no more than an answer may', () => {
    const first = Array.from({ length: MAX_REJECTED_ELEMENTS }, (_, index) => ({ index: index + 10, errors: {} }));
    const full = { ...part, rejected: { count: 500, first } };
    const smaller = withoutRefused(full, new ValidationFailed({ '[0].Name': ['long'] }));
    expect(smaller?.rejected.count).toBe(501);
    expect(smaller?.rejected.first.map(({ index }) => index)).toEqual(
      [1, ...first.map(({ index }) => index)].slice(0, -1),
    );
  });

  it.each([{}, { '': ['all of it'] }, { '[0].Name': ['long'], Body: ['odd'] }])(
    'knows no part without %p',
    (errors) => {
      expect(withoutRefused(part, new ValidationFailed(errors))).toBeUndefined();
    },
  );
});

it('gives an error the indexes that were sent (R-66)', () => {
  const error = new ValidationFailed({ '[2].Name': ['long'], '': ['all'] }, { omittedErrors: 2 });
  const { errors, details } = withSentIndexes(error, part.indexes);
  expect({ errors, details }).toEqual({ errors: { '[4].Name': ['long'], '': ['all'] }, details: { omittedErrors: 2 } });
});
