/** The probe of hostile input can fail: each mistake, planted alone, is caught, and without one it finds nothing. */
import * as fc from 'fast-check';
import type { DocumentWrite } from '../../shared/documents/document-store';
import { writtenPath } from '../../shared/documents/document-store';
import type { TestService } from '../support/test-service';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { drawnRequest } from './hostile/drawn-request';
import { Probe } from './hostile/probe';
import { FAULTS_SEED, report } from './tier';

/** Half a character has to stand in a field of an accepted request's last record: about one case in 1,000. */
const MOST_CASES = 20_000;
const CONTROLS = 300;

const service = useTestService(...HTTP_FUNCTIONS);
afterEach(() => jest.restoreAllMocks());

async function check(to: TestService, numRuns: number) {
  const probe = new Probe(to);
  const property = fc.asyncProperty(drawnRequest, (sent) => probe.send(sent));
  const result = await fc.check(property, { numRuns, seed: FAULTS_SEED, endOnFailure: true });
  probe.close();
  return result;
}

it('finds nothing where no mistake is planted', async () => {
  expect((await check(service(), CONTROLS)).failed).toBe(false);
});

const isOfRecord = (path: string) => /^tenants\/[^/]+\/(customers|products|orders)\//.test(path);

/** Writes of records are answered as if they were made. */
function sayWritten(to: TestService): void {
  const { store } = to;
  const pathOf = (write: DocumentWrite) => writtenPath(write);
  const isKept = (write: DocumentWrite) => !isOfRecord(pathOf(write));
  const [commit, writeEach] = [store.commit.bind(store), store.writeEach.bind(store)];
  jest.spyOn(store, 'commit').mockImplementation((writes, deadline) => commit(writes.filter(isKept), deadline));
  jest.spyOn(store, 'writeEach').mockImplementation(async (writes, deadline) => {
    await writeEach(writes.filter(isKept), deadline);
    return writes.map(() => 'written');
  });
}

/** Changes the answers to requests that are refused as invalid. */
function spoilRefusals(to: TestService, spoil: (text: string) => Promise<string> | string): void {
  const request = to.request.bind(to);
  jest.spyOn(to, 'request').mockImplementation(async (...call) => {
    const answer = await request(...call);
    if (answer.status !== 400) return answer;
    const text = await spoil(answer.text);
    return { ...answer, text, json: text.startsWith('{') ? (JSON.parse(text) as unknown) : undefined };
  });
}

it.each<[mistake: string, plant: (to: TestService) => void]>([
  ['a validator that lets half a character through', () => jest.spyOn(String.prototype, 'isWellFormed').mockReturnValue(true)], // prettier-ignore
  ['an answer in HTML', (to) => spoilRefusals(to, () => '<html><body>Bad Request</body></html>')],
  [
    'a refusal that writes',
    (to) =>
      spoilRefusals(to, async (text) => {
        await to.store.commit([{ set: 'tenants/x', data: {} }], to.deadline());
        return text;
      }),
  ],
  ['a database that fails', (to) => (to.store.failing = ({ paths }) => paths.some(isOfRecord))],
  ['a database that says written and does not write', sayWritten],
])('catches %s', async (mistake, plant) => {
  const to = service();
  plant(to);
  const { failed, numRuns, errorInstance } = await check(to, MOST_CASES);
  const said = errorInstance instanceof Error ? errorInstance.message.slice(0, 100) : '';
  report(`hostile input: ${mistake} is caught`, numRuns, failed ? 0 : 1, `by: ${said}`);
  expect(failed).toBe(true);
});
