import { envelopeOf, expectAnswer, expectProblem, problemOf } from '../api';
import { describeInvalidBody } from '../suites/invalid-body';
import { describeInvalidTenant } from '../suites/invalid-tenant';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';

describeInvalidTenant('customers');
describeInvalidBody('customers', 'array');

const service = useTestService('customers');
const post = ({ tenantId, key }: Caller, json: unknown) =>
  service().request('POST', `/customers/${tenantId}`, { key, json });
const tooLong = (field: string, length: number) =>
  `The field ${field} must be a string with a maximum length of ${length}.`;
const NOBODY = (index: number) => `Element [${index}]: at least one of CustomerId, Email must have a value.`;
const LANGUAGE = 'The field Language must be an IETF BCP 47 tag of the form language[-script][-region].';

describe('POST /customers/<tenant_id>', () => {
  it.each([
    ['CustomerId', 100],
    ['Name', 100],
    ['Surname', 300],
    ['Phone', 20],
    ['Username', 500],
  ])('refuses a %s longer than %i (Spec §2.2, D-10)', async (field, length) => {
    const answer = await post(await service().createCaller(), [
      { Email: 'ada@example.com', [field]: 'x'.repeat(length + 1) },
    ]);
    expectProblem(answer, { [`[0].${field}`]: [tooLong(field, length)] }, { remaining: 99 });
  });

  it('refuses an Email longer than 255 (Spec §2.2)', async () => {
    const answer = await post(await service().createCaller(), [{ Email: `${'e'.repeat(244)}@example.com` }]);
    expectProblem(answer, { '[0].Email': [tooLong('Email', 255)] });
  });

  it.each(['ada', 'ada@', '@example.com', 'a@b@c', 'ada lovelace@example.com', 'ada@exam ple.com'])(
    'refuses the e-mail %p (D-17)',
    async (Email) => {
      const answer = await post(await service().createCaller(), [{ Email }]);
      expectProblem(answer, { '[0].Email': ['The field Email must be an e-mail address.'] });
    },
  );

  it.each(['english', 'e', 'en_US', 'en-', 'en-USA', 'en-US-x', '12', ''])(
    'refuses the language %p (D-16)',
    async (Language) => {
      const answer = await post(await service().createCaller(), [{ CustomerId: 'C-1', Language }]);
      expectProblem(answer, { '[0].Language': [LANGUAGE] });
    },
  );

  it.each(['CustomerId', 'Email', 'Name', 'Surname', 'Phone', 'Language', 'Username'])(
    'refuses a %s that is no string, without coercion (D-15)',
    async (field) => {
      for (const wrong of [1, true, ['x'], { x: 1 }]) {
        const answer = await post(await service().createCaller(), [
          { CustomerId: 'C-1', Email: 'ada@example.com', [field]: wrong },
        ]);
        expectProblem(answer, { [`[0].${field}`]: [`The field ${field} must be a string.`] });
      }
    },
  );

  it.each(['EmailOptin', 'SmsOptin', 'WhatsappOptin', 'AppPushOptin', 'GdprOptin', 'IsExcluded'])(
    'refuses a %s that is no boolean, without coercion (D-15)',
    async (field) => {
      for (const wrong of ['true', 1, 0, [], {}]) {
        const answer = await post(await service().createCaller(), [{ CustomerId: 'C-1', [field]: wrong }]);
        expectProblem(answer, { [`[0].${field}`]: [`The field ${field} must be a boolean.`] });
      }
    },
  );

  it.each([
    [{}],
    [{ Name: 'Ada' }],
    [{ CustomerId: ' ', Email: '' }],
    [{ CustomerId: null, Email: null }],
    [{ Email: '\t\n' }],
  ])(
    'refuses %j, and says which element it is: one identifier must have a value (Spec §2.2 rule 1, §7.2, R-02)',
    async (customer) => {
      const answer = await post(await service().createCaller(), [{ CustomerId: 'C-1' }, customer]);
      expectProblem(answer, { '': [NOBODY(1)] });
    },
  );

  it.each([null, 1, 'ada@example.com', true, []])('refuses the element %j (D-15)', async (element) => {
    const answer = await post(await service().createCaller(), [{ CustomerId: 'C-1' }, element]);
    expectProblem(answer, { '[1]': ['The element must be an object.'] });
  });

  it('refuses fields that the tenant makes mandatory and that are missing, null or blank (Spec §2.1, §7.2, D-12)', async () => {
    const caller = await service().createCaller({ requiredFields: ['Language', 'GdprOptin', 'Name'] });
    const complete = { CustomerId: 'C-1', Language: 'en', GdprOptin: false, Name: 'Ada' };
    expect((await post(caller, [complete])).status).toBe(200);
    const answer = await post(caller, [{ CustomerId: 'C-1' }, { ...complete, GdprOptin: null, Name: ' ' }]);
    expectProblem(answer, {
      '[0].Language': ['The Language field is required.'],
      '[0].GdprOptin': ['The GdprOptin field is required.'],
      '[0].Name': ['The Name field is required.'],
      '[1].GdprOptin': ['The GdprOptin field is required.'],
      '[1].Name': ['The Name field is required.'],
    });
  });

  it('lists every violation of every element, and stores nothing (Spec §4.2, D-22, D-30)', async () => {
    const caller = await service().createCaller();
    const before = await service().store.dump();
    const answer = await post(caller, [
      { Email: 'good@example.com' },
      { Email: 'bad', Name: 'n'.repeat(101), SmsOptin: 'yes' },
      {},
      { CustomerId: 'C-1', Language: 'english' },
      {},
    ]);
    expectProblem(answer, {
      '[1].Email': ['The field Email must be an e-mail address.'],
      '[1].Name': [tooLong('Name', 100)],
      '[1].SmsOptin': ['The field SmsOptin must be a boolean.'],
      '': [NOBODY(2), NOBODY(4)],
      '[3].Language': [expect.stringContaining('IETF BCP 47')],
    });
    expect(await service().store.dump()).toEqual(before);
  });

  it('lists at most 100 messages (D-22)', async () => {
    const answer = await post(
      await service().createCaller(),
      Array.from({ length: 300 }, () => ({ Email: 'bad' })),
    );
    const { errors } = answer.json as { errors: Record<string, string[]> };
    expect(Object.values(errors).flat()).toHaveLength(100);
  });

  it('refuses a batch of 1001 (Spec §8, D-31)', async () => {
    const caller = await service().createCaller();
    const before = await service().store.dump();
    const answer = await post(
      caller,
      Array.from({ length: 1001 }, (_, at) => ({ CustomerId: `C-${at}` })),
    );
    expectProblem(answer, { '': ['The batch must contain at most 1000 records.'] });
    expect(await service().store.dump()).toEqual(before);
  });

  it('does not match field names in another case, and names those beside the errors (Spec §2.2, D-21)', async () => {
    const answer = await post(await service().createCaller(), [{ email: 'ada@example.com', customerId: 'C-1' }]);
    const ignoredFields = ['email', 'customerId'];
    expectAnswer(answer, 400, problemOf(answer, { '': [NOBODY(0)] }, { ignoredFields }));
  });

  it('says how many violations it does not list (D-22)', async () => {
    const answer = await post(await service().createCaller(), Array(150).fill({}));
    const { errors, omittedErrors } = answer.json as { errors: Record<string, string[]>; omittedErrors: number };
    expect({ listed: errors['']?.length, omittedErrors }).toEqual({ listed: 100, omittedErrors: 50 });
  });
});

describe.each(['GET', 'DELETE'])('%s /customers/<tenant_id>', (method) => {
  it.each(['', '?', '?customerId=&email=', '?customerId=%20', '?email', '?CustomerId=C-1&Email=ada@example.com'])(
    'refuses %p: one identifier is required (Spec §4.3, R-70)',
    async (query) => {
      const { tenantId, key } = await service().createCaller();
      const answer = await service().request(method, `/customers/${tenantId}${query}`, { key });
      expectAnswer(answer, 400, envelopeOf('customers', false, 'Customer ID or email is required.'), { remaining: 99 });
      expect(service().publisher.published).toEqual([]);
    },
  );

  it.each(['?customerId=%', '?customerId=%zz', '?email=%E0%A4%A'])(
    'refuses the malformed encoding of %s (D-45)',
    async (query) => {
      const { tenantId, key } = await service().createCaller();
      const answer = await service().request(method, `/customers/${tenantId}${query}`, { key });
      expectAnswer(answer, 400, envelopeOf('customers', false, 'The URL contains a malformed percent-encoding.'));
    },
  );

  it('refuses an identifier that is given twice (Spec §4.3)', async () => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request(method, `/customers/${tenantId}?email=a@x.com&email=b@x.com`, { key });
    expectAnswer(answer, 400, envelopeOf('customers', false, 'The query parameter email must be given once.'));
  });
});

describe('POST /customers/<tenant_id>/deletions', () => {
  const text = (field: string) => ({ [`[1].${field}`]: [`The field ${field} must be a string.`] });
  const NO_EMAIL = 'The field Email must be an e-mail address.';
  it.each<[element: object, errors: object]>([
    [{}, { '': [NOBODY(1)] }],
    [{ CustomerId: null, Email: ' ' }, { '': [NOBODY(1)] }],
    [{ CustomerId: 7 }, text('CustomerId')],
    [{ CustomerId: 'C-1', Email: ['a@b.example'] }, text('Email')],
    [{ CustomerId: 'x'.repeat(101) }, { '[1].CustomerId': [tooLong('CustomerId', 100)] }],
    [{ Email: `${'x'.repeat(250)}@x.com` }, { '[1].Email': [tooLong('Email', 255)] }],
    [{ Email: 'ada' }, { '[1].Email': [NO_EMAIL] }],
    [{ CustomerId: '\ud800' }, { '[1].CustomerId': ['The field CustomerId must be well-formed Unicode text.'] }],
  ])('refuses the element %j, and accepts nothing (R-50, D-15, D-17, D-30, R-06)', async (element, errors) => {
    const { tenantId, key } = await service().createCaller();
    const json = [{ CustomerId: 'C-1' }, element];
    expectProblem(await service().request('POST', `/customers/${tenantId}/deletions`, { key, json }), errors);
    expect(await service().pendingDeletions(tenantId)).toEqual([]);
  });

  it('asks for no field that the tenant makes mandatory (R-50)', async () => {
    const { tenantId, key } = await service().createCaller({ requiredFields: ['Language', 'GdprOptin'] });
    const json = [{ CustomerId: 'C-1' }];
    expect((await service().request('POST', `/customers/${tenantId}/deletions`, { key, json })).status).toBe(200);
  });
});
