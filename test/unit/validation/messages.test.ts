import type { ErrorObject } from 'ajv';
import { toViolation } from '../../../shared/validation/messages';

const error = (fields: Partial<ErrorObject>): ErrorObject => ({
  instancePath: '',
  schemaPath: '',
  keyword: 'type',
  params: {},
  ...fields,
});

describe('toViolation', () => {
  it.each([
    ['[3]', '', '[3]'],
    ['[3]', '/Email', '[3].Email'],
    ['[3]', '/OrderItems/12', '[3].OrderItems[12]'],
    ['[3]', '/OrderItems/12/Sku', '[3].OrderItems[12].Sku'],
    ['', '/BucketName', 'BucketName'],
    ['', '/DataFolderPaths/0', 'DataFolderPaths[0]'],
  ])('writes the path of %j and %j as %s (Spec §7.2, D-37)', (base, instancePath, path) => {
    expect(toViolation(error({ instancePath, params: { type: 'string' } }), base).path).toBe(path);
  });

  it('puts a missing field at its own path (Spec §7.2)', () => {
    const missing = error({
      instancePath: '/ProductVariants/1',
      keyword: 'required',
      params: { missingProperty: 'Sku' },
    });
    expect(toViolation(missing, '[0]')).toStrictEqual({
      path: '[0].ProductVariants[1].Sku',
      message: 'The Sku field is required.',
    });
  });

  it('fails loudly for a keyword that a schema begins to use without a message', () => {
    expect(() => toViolation(error({ keyword: 'multipleOf' }), '[0]')).toThrow(
      'No message is known for the JSON Schema keyword multipleOf.',
    );
  });
});
