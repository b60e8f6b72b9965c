/** Rows of files: the rules of a batch, without its index. What is compiled here is compiled inside the tests. */
import { compileBatchValidator, compileRowValidator } from '../../../shared/validation/batch';
import { customerBatch } from '../../../shared/validation/customer-batch';
import { orderBatch } from '../../../shared/validation/order-batch';
import { productBatch } from '../../../shared/validation/product-batch';
import { errorsOf, failureOf } from '../support/errors-of';
import { aTenant } from '../support/tenant';

const tenant = aTenant();
const errors = (definition: typeof customerBatch, row: unknown, of = tenant) =>
  errorsOf(() => compileRowValidator(definition)(row, of));

describe('a row of a file', () => {
  it.each([
    [customerBatch, { Email: 'a@x.io', Unknown: 1 }],
    [productBatch, { ProductId: 'p', ProductVariants: [] }],
    [orderBatch, { OrderId: 'o', Currency: 'USD' }],
  ])('that breaks no rule is accepted', (definition, row) => {
    expect(() => compileRowValidator(definition)(row, tenant)).not.toThrow();
  });

  it('names its violations like a batch, without an index (D-52)', () => {
    const row = { OrderId: ' ', OrderItems: [{ ProductId: 'p', Sku: 's', Quantity: 1.5, Price: 1 }] };
    expect(errors(orderBatch, row)).toStrictEqual({
      OrderId: ['The OrderId field is required.'],
      Currency: ['The Currency field is required.'],
      'OrderItems[0].Quantity': ['The field Quantity must be an integer.'],
    });
  });

  it('says a rule about the whole row as a sentence at the empty path (D-52)', () => {
    expect(errors(customerBatch, { Name: 'Ada' })).toStrictEqual({
      '': ['At least one of CustomerId, Email must have a value.'],
    });
  });

  it('says how many of its violations it does not list (D-22, D-52)', () => {
    const row = { OrderId: 'o', Currency: 'EUR', OrderItems: Array.from({ length: 300 }, () => ({})) };
    const failure = failureOf(() => compileRowValidator(orderBatch)(row, tenant));
    expect(Object.values(failure.errors).flat()).toHaveLength(100);
    expect(failure.details).toEqual({ omittedErrors: 1_100 });
  });

  it.each([null, undefined, [], 'text', 1])('is an object and not %j', (row) => {
    expect(errors(customerBatch, row, aTenant({ requiredFields: ['Phone'] }))).toStrictEqual({
      '': ['The element must be an object.'],
    });
  });

  it('has the fields that its tenant enforces, each said to be missing once, beside what else is wrong (Spec §2.1, D-52)', () => {
    const strict = aTenant({ requiredFields: ['Phone', 'Language', 'GdprOptin'] });
    expect(errors(customerBatch, { Email: 'a@x.io', Language: ' ', GdprOptin: false, Name: 1 }, strict)).toStrictEqual({
      Phone: ['The Phone field is required.'],
      Language: ['The Language field is required.'],
      Name: ['The field Name must be a string.'],
    });
  });
});

describe('a batch of any definition', () => {
  const definition = {
    schema: {
      type: 'object',
      properties: {
        Id: { type: 'string', maxLength: 3 },
        Tags: { type: 'array', maxItems: 2, items: { type: 'string' } },
        Parts: { type: 'array', items: { type: 'object', properties: { No: { type: 'number' } } } },
      },
    },
    maxRecords: 2,
  };
  const compile = () => compileBatchValidator(definition);

  it('has its known fields distinguished from others, of an element and of its parts, where they are such (D-21)', () => {
    const batch = [
      { Id: 'a', No: 1, Tags: ['x'], Parts: [{ No: 1, Id: 'a' }] },
      { Parts: [], Tags: [] },
    ];
    expect(compile()(batch, tenant)).toStrictEqual({ records: batch, ignoredFields: ['No', 'Parts.Id'] });
  });

  it('is bounded by its own maximum, and so are its arrays (D-31)', () => {
    expect(errorsOf(() => compile()([{}, {}, {}], tenant))).toStrictEqual({
      '': ['The batch must contain at most 2 records.'],
    });
    expect(errorsOf(() => compile()([{ Tags: [1, 2, 3] }, { Id: 'long', Tags: ['a', 'b'] }], tenant))).toStrictEqual({
      '[0].Tags': ['The field Tags must be an array with a maximum length of 2.'],
      '[1].Id': ['The field Id must be a string with a maximum length of 3.'],
    });
  });

  it('has no rule about whole elements and enforces no field of the tenant unless it says so', () => {
    expect(compile()([{}], aTenant({ requiredFields: ['Id'] })).records).toStrictEqual([{}]);
  });
});
