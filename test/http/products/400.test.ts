import { envelopeOf, expectAnswer, expectProblem } from '../api';
import { describeInvalidBody } from '../suites/invalid-body';
import { describeInvalidTenant } from '../suites/invalid-tenant';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';

describeInvalidTenant('products');
describeInvalidBody('products', 'array');

const service = useTestService('products');
const post = ({ tenantId, key }: Caller, json: unknown) =>
  service().request('POST', `/products/${tenantId}`, { key, json });
const required = (field: string) => `The ${field} field is required.`;
const tooLong = (field: string, length: number) =>
  `The field ${field} must be a string with a maximum length of ${length}.`;
const VALID = { VariantId: 'V-1', Sku: 'S-1' };

describe('POST /products/<tenant_id>', () => {
  it.each(['ProductId', 'ProductVariants'])('refuses a missing or null %s (Spec §2.3, §7.2, D-12)', async (field) => {
    const caller = await service().createCaller();
    const complete = { ProductId: 'P-1', ProductVariants: [] };
    for (const value of [undefined, null]) {
      expectProblem(await post(caller, [complete, { ...complete, [field]: value }]), {
        [`[1].${field}`]: [required(field)],
      });
    }
  });

  it.each(['VariantId', 'Sku'])(
    'refuses a missing, null or blank %s of a variant (Spec §2.4, §7.2, D-12)',
    async (field) => {
      const caller = await service().createCaller();
      for (const value of [undefined, null, '', ' \t']) {
        const answer = await post(caller, [
          { ProductId: 'P-1', ProductVariants: [VALID, { ...VALID, [field]: value }] },
        ]);
        expectProblem(answer, { [`[0].ProductVariants[1].${field}`]: [required(field)] });
      }
    },
  );

  it.each([
    ['ProductId', 100],
    ['ProductName', 200],
  ])('refuses a %s longer than %i (Spec §2.3)', async (field, length) => {
    const answer = await post(await service().createCaller(), [
      { ProductId: 'P-1', ProductVariants: [], [field]: 'x'.repeat(length + 1) },
    ]);
    expectProblem(answer, { [`[0].${field}`]: [tooLong(field, length)] });
  });

  it.each([
    ['VariantId', 100],
    ['Sku', 200],
    ['Name', 600],
    ['Image', 2000],
    ['Size', 50],
    ['Color', 50],
    ['BrandName', 200],
    ['Url', 2000],
  ])('refuses a variant’s %s longer than %i (Spec §2.4)', async (field, length) => {
    const answer = await post(await service().createCaller(), [
      { ProductId: 'P-1', ProductVariants: [{ ...VALID, [field]: 'x'.repeat(length + 1) }] },
    ]);
    expectProblem(answer, { [`[0].ProductVariants[0].${field}`]: [tooLong(field, length)] });
  });

  it.each([
    ['Stock', 1.5, 'The field Stock must be an integer.'],
    ['Stock', '1', 'The field Stock must be an integer.'],
    ['Stock', 2 ** 31, 'The field Stock must be an integer.'],
    ['OriginalPrice', '1', 'The field OriginalPrice must be a number.'],
    ['SalePrice', true, 'The field SalePrice must be a number.'],
    ['IsAvailable', 'true', 'The field IsAvailable must be a boolean.'],
    ['Name', 5, 'The field Name must be a string.'],
    ['Currency', 'XXQ', 'The field Currency must be an ISO 4217 currency code.'],
    ['Language', 'english', 'The field Language must be an IETF BCP 47 tag of the form language[-script][-region].'],
  ])('refuses a variant’s %s %p (D-14 to D-16)', async (field, value, message) => {
    const answer = await post(await service().createCaller(), [
      { ProductId: 'P-1', ProductVariants: [{ ...VALID, [field]: value }] },
    ]);
    expectProblem(answer, { [`[0].ProductVariants[0].${field}`]: [message] });
  });

  it.each([
    [{ ProductVariants: {} }, '[0].ProductVariants', 'The field ProductVariants must be an array.'],
    [{ ProductVariants: 'none' }, '[0].ProductVariants', 'The field ProductVariants must be an array.'],
    [{ Taxonomy: 'tea' }, '[0].Taxonomy', 'The field Taxonomy must be an array.'],
    [{ Taxonomy: ['tea', 1] }, '[0].Taxonomy[1]', 'The field Taxonomy must be a string.'],
    [{ IsOfflineExclusive: 0 }, '[0].IsOfflineExclusive', 'The field IsOfflineExclusive must be a boolean.'],
    [{ ProductVariants: [7] }, '[0].ProductVariants[0]', 'The field ProductVariants must be an object.'],
    [{ ProductVariants: [null] }, '[0].ProductVariants[0]', 'The field ProductVariants must be an object.'],
  ])('refuses %j (D-15)', async (change, path, message) => {
    const answer = await post(await service().createCaller(), [{ ProductId: 'P-1', ProductVariants: [], ...change }]);
    expectProblem(answer, { [path]: [message] });
  });

  it('refuses a number that is not finite (D-15)', async () => {
    const { tenantId, key } = await service().createCaller();
    const raw = '[{"ProductId":"P-1","ProductVariants":[{"VariantId":"V","Sku":"S","OriginalPrice":1e999}]}]';
    const answer = await service().request('POST', `/products/${tenantId}`, { key, raw });
    expectProblem(answer, { '[0].ProductVariants[0].OriginalPrice': ['The field OriginalPrice must be a number.'] });
  });

  it('refuses a batch of 201 (Spec §8, D-31)', async () => {
    const json = Array.from({ length: 201 }, (_, index) => ({ ProductId: `P-${index}`, ProductVariants: [] }));
    expectProblem(await post(await service().createCaller(), json), {
      '': ['The batch must contain at most 200 records.'],
    });
  });

  it('refuses the whole batch for one product that outgrows a stored record (D-30)', async () => {
    const caller = await service().createCaller();
    const before = await service().store.dump();
    const variants = Array.from({ length: 600 }, (_, index) => ({
      VariantId: `V-${index}`,
      Sku: `S-${index}`,
      Url: 'u'.repeat(2000),
    }));
    const answer = await post(caller, [
      { ProductId: 'P-1', ProductVariants: [] },
      { ProductId: 'P-2', ProductVariants: variants },
    ]);
    expectProblem(answer, {
      '[1].ProductVariants': [expect.stringMatching(/^The field ProductVariants is too large to store: /)],
    });
    expect(await service().store.dump()).toEqual(before);
  });
});

describe('DELETE /products/<tenant_id>/…', () => {
  it.each([
    ['', 'Product ID is required.'],
    ['/', 'Product ID is required.'],
    ['/%20', 'Product ID is required.'],
    ['//variants/V-1', 'Product ID is required.'],
    ['/%09/variants/V-1', 'Product ID is required.'],
    ['//variants', 'Product ID is required.'],
    ['/variants/V-1', 'Product ID is required.'],
    ['/P-1/variants', 'Variant ID is required.'],
    ['/P-1/variants/', 'Variant ID is required.'],
    ['/P-1/variants/%20%20', 'Variant ID is required.'],
    ['/%E0%A4%A', 'The URL contains a malformed percent-encoding.'],
    ['/P-1/variants/%', 'The URL contains a malformed percent-encoding.'],
    ['/%ED%A0%80', 'The URL contains a malformed percent-encoding.'],
  ])('refuses %p: %s (Spec §4.4, D-45)', async (path, message) => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('DELETE', `/products/${tenantId}${path}`, { key });
    expectAnswer(answer, 400, envelopeOf('products', false, message), { remaining: 99 });
    expect(service().publisher.published).toEqual([]);
  });

  it.each(['/P-1/variants/V-1', '/variants/V-1', '/%20/P-1/variants/V-1'])(
    'refuses %p, which lacks the tenant (D-45)',
    async (path) => {
      const { key } = await service().createCaller();
      const answer = await service().request('DELETE', `/products${path}`, { key });
      expectAnswer(answer, 400, envelopeOf('products', false, 'Invalid tenant identifier.'), { remaining: 99 });
    },
  );
});

describe('GET /products/<tenant_id>/<product_id>', () => {
  it.each([
    ['', 'Product ID is required.'],
    ['/', 'Product ID is required.'],
    ['/%20%09', 'Product ID is required.'],
    ['/%E0%A4%A', 'The URL contains a malformed percent-encoding.'],
    ['/%ED%A0%80', 'The URL contains a malformed percent-encoding.'],
  ])('refuses %p: %s (R-68, D-45)', async (path, message) => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('GET', `/products/${tenantId}${path}`, { key });
    expectAnswer(answer, 400, envelopeOf('products', false, message), { remaining: 99 });
  });
});

describe('POST /products/<tenant_id>/deletions', () => {
  const required = (field: string) => ({ [`[1].${field}`]: [`The ${field} field is required.`] });
  const text = (field: string) => ({ [`[1].${field}`]: [`The field ${field} must be a string.`] });
  const long = (field: string) => ({
    [`[1].${field}`]: [`The field ${field} must be a string with a maximum length of 100.`],
  });
  it.each<[element: object, errors: object]>([
    [{}, required('ProductId')],
    [{ ProductId: null }, required('ProductId')],
    [{ ProductId: ' ', VariantId: 'V-1' }, required('ProductId')],
    [{ ProductId: 'P-1', VariantId: '' }, required('VariantId')],
    [{ ProductId: 'P-1', VariantId: ' \t' }, required('VariantId')],
    [{ ProductId: 7 }, text('ProductId')],
    [{ ProductId: 'P-1', VariantId: 7 }, text('VariantId')],
    [{ ProductId: 'x'.repeat(101) }, long('ProductId')],
    [{ ProductId: 'P-1', VariantId: 'x'.repeat(101) }, long('VariantId')],
  ])('refuses the element %j, and accepts nothing (R-50, R-52, D-15, D-30)', async (element, errors) => {
    const { tenantId, key } = await service().createCaller();
    const json = [{ ProductId: 'P-1' }, element];
    expectProblem(await service().request('POST', `/products/${tenantId}/deletions`, { key, json }), errors);
    expect(await service().pendingDeletions(tenantId)).toEqual([]);
  });
});
