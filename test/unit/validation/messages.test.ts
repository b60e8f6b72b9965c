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
    ['[3]', '/Address2/2nd', '[3].Address2.2nd'],
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

  it('says of an element that is no object that it must be one (D-15)', () => {
    expect(toViolation(error({ params: { type: 'object' } }), '[3]')).toStrictEqual({
      path: '[3]',
      message: 'The element must be an object.',
    });
  });

  it.each([
    ['minimum', 0],
    ['maximum', 60],
  ])('names both bounds of a number beyond its %s (D-37)', (keyword, data) => {
    const parentSchema = { type: 'integer', minimum: 1, maximum: 59 };
    expect(toViolation(error({ instancePath: '/Minute', keyword, data, parentSchema }), '').message).toBe(
      'The field Minute must be between 1 and 59.',
    );
  });

  it.each([
    ['type', { type: 'date' }, 'The field Since must be of another type.'],
    ['format', { format: 'era' }, 'The field Since is not valid.'],
  ])('names the field of a %s that a schema begins to use without words for it', (keyword, params, message) => {
    expect(toViolation(error({ instancePath: '/Since', keyword, params }), '').message).toBe(message);
  });

  it('fails loudly for a keyword that a schema begins to use without a message', () => {
    expect(() => toViolation(error({ keyword: 'multipleOf' }), '[0]')).toThrow(
      'No message is known for the JSON Schema keyword multipleOf.',
    );
  });
});
