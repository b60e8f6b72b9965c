/** Creating the tenants of a file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readTenantsFile } from '../../../functions/admin/tenants-file';
import type { LineAnswer } from '../../../shared/operations/tenants/create-tenants';
import { createTenants } from '../../../shared/operations/tenants/create-tenants';
import { listTenants } from '../../../shared/operations/tenants';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { SeededRandom } from '../../support/seeded-random';

const ID = '22222222-2222-4222-8222-222222222222';
const folder = mkdtempSync(join(tmpdir(), 'tenants-file-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function open() {
  const operator = operatorOn(new MemoryDocumentStore(), { clock: new FixedClock(), random: new SeededRandom() });
  /** What is answered for a file of this content, and the error at its end. */
  const create = async (content: string | Buffer, name = 'tenants.csv') => {
    const path = join(folder, name);
    writeFileSync(path, content);
    const answers: LineAnswer[] = [];
    let error: string | undefined;
    try {
      for await (const answer of createTenants(readTenantsFile(path), operator)) answers.push(answer);
    } catch (caught) {
      error = (caught as Error).message;
    }
    return { answers, error };
  };
  return { operator, create, tenants: () => listTenants(operator) };
}

const outcomes = (answers: readonly LineAnswer[]) => answers.map(({ line, outcome }) => [line, outcome]);

const CSV = `organizationId,displayName,tenantId,customerIdentifier,requiredFields,defaultLanguage
acme,"Acme, Ltd",,,,
acme,,${ID},CustomerId,"Name,Phone",pt-br

else,Else,,,,
`;

it('creates a tenant for each row, answers each with its line, and finds them when it is run again (R-213)', async () => {
  const { create, tenants } = open();
  const first = await create(CSV);
  expect(outcomes(first.answers)).toEqual([2, 3, 5].map((line) => [line, 'created']));
  const created = await tenants();
  expect(created).toHaveLength(3);
  expect(created).toContainEqual({
    tenantId: ID,
    organizationId: 'acme',
    displayName: null,
    customerIdentifier: 'customerid',
    productIdentifier: 'productid',
    orderCustomer: 'email',
    defaultLanguage: 'pt-BR',
    requiredFields: ['Name', 'Phone'],
    notifyTopic: null,
  });
  const again = await create(CSV);
  expect(again.answers).toEqual(first.answers.map((answer) => ({ ...answer, outcome: 'present' })));
  expect([first.error, again.error, await tenants()]).toEqual([undefined, undefined, created]);
});

it('takes what tenants list prints, as NDJSON, also compressed: another deployment gets the same tenants (R-213)', async () => {
  const [from, to] = [open(), open()];
  await from.create(CSV);
  const listed = await from.tenants();
  const lines = listed.map((tenant) => `${JSON.stringify(tenant)}\n`).join('');
  expect((await to.create(gzipSync(lines), 'tenants.ndjson.gz')).error).toBeUndefined();
  expect(await to.tenants()).toEqual(listed);
  expect(outcomes((await to.create(lines, 'tenants.jsonl')).answers)).toEqual(
    [1, 2, 3].map((line) => [line, 'present']),
  );
});

it('refuses single rows, each with its reason, creates the others, and ends with an error (R-213)', async () => {
  const { create, tenants } = open();
  const lines = [
    '{"organizationId":"acme","displayName":"Good"}',
    '{"displayName":"No organization"}',
    '{"organizationId":"acme"}',
    '{"organizationId":"acme","tenantId":"nope"}',
    '{"organizationId":"acme","displayName":"A","customerIdentifier":"phone"}',
    '{"organizationId":"acme","displayName":"A","requiredFields":["Shoe"]}',
    '{"organizationId":"acme","displayName":"A","hat":1}',
    '{"organizationId":7,"displayName":"A"}',
    '["acme"]',
    '{"organizationId":',
    '{"organizationId":"else","displayName":"Last"}',
  ];
  const { answers, error } = await create(lines.join('\n'), 'tenants.ndjson');
  const reasons = answers.filter(({ outcome }) => outcome === 'refused').map(({ line, reason }) => [line, reason]);
  expect(reasons).toEqual([
    [2, 'organizationId is missing.'],
    [3, 'tenantId or displayName is needed, so that a repeat finds the tenant.'],
    [4, '"nope" is no tenant id; it must be a GUID.'],
    [5, 'customerIdentifier must be one of email, customerid; it is "phone".'],
    [6, expect.stringMatching(/names no customer field: Shoe/)],
    [7, expect.stringMatching(/^"hat" is no setting; the settings are tenantId, organizationId, displayName, /)],
    [8, 'organizationId must be a text.'],
    [9, 'The line must be an object.'],
    [10, 'The record is not valid JSON.'],
  ]);
  expect(error).toBe('Lines refused: 9 of 11. Mend them, and run the command again.');
  expect((await tenants()).map(({ displayName }) => displayName).sort()).toEqual(['Good', 'Last']);
});

it('refuses a row whose tenant has other settings by now, and changes nothing of it', async () => {
  const { create, tenants } = open();
  await create(`organizationId,tenantId\nacme,${ID}\n`);
  const { answers } = await create(`organizationId,tenantId\nother,${ID}\n`);
  expect(answers).toEqual([{ line: 2, outcome: 'refused', tenantId: null, reason: expect.stringContaining('exists already') as string }]); // prettier-ignore
  expect(await tenants()).toMatchObject([{ organizationId: 'acme' }]);
});

it.each([
  ['tenants.csv', 'organizationId,organizationId\n', /names the field organizationId twice/],
  ['tenants.csv', '"organizationId\n', /header row cannot be read|never closed/],
  ['tenants.csv', Buffer.from([0xff, 0xfe, 0x41]), /ends in the middle of a character/],
  ['tenants.json', '[]', /must name a file that ends in/],
  ['tenants.xlsx', '', /must name a file that ends in/],
  ['tenants.csv.zip', '', /must name a file that ends in/],
])('refuses a file as a whole: %s of %j', async (name, content, message) => {
  const { answers, error } = await open().create(content, name);
  expect(answers).toEqual([]);
  expect(error).toMatch(message);
});

it('refuses a row of too few cells, and one that is not closed with all that it swallows', async () => {
  const { answers, error } = await open().create(
    'organizationId,displayName\nacme\nacme,Good\nacme,"open\nacme,Lost\n',
  );
  expect(outcomes(answers)).toEqual([
    [2, 'refused'],
    [3, 'created'],
  ]);
  expect(error).toMatch(/A quoted cell is never closed; its row begins in line 4/);
});

it('says that a file is not there', async () => {
  const lines = readTenantsFile(join(folder, 'none.csv'));
  await expect(lines.next()).rejects.toThrow(/none\.csv cannot be read: ENOENT/);
});
