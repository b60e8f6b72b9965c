/** The probe of hostile deletions can fail: what broke a tenant for good, planted again, is caught. */
import * as fc from 'fast-check';
import type * as deletion from '../../shared/domain/deletion';
import type * as identity from '../../shared/domain/identity';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { probeDeletion } from './hostile/deletion-probe';
import { drawnDeletion } from './hostile/drawn-deletion';
import { FAULTS_SEED, report } from './tier';

const MOST_CASES = 2_000;

const planted = { keepsAnyId: false, looksUpIds: false, setsNothingAside: false };

jest.mock<typeof deletion>('../../shared/domain/deletion', () => {
  const real = jest.requireActual<typeof deletion>('../../shared/domain/deletion');
  return { ...real, toMatchable: (target) => (planted.keepsAnyId ? target : real.toMatchable(target)) };
});
jest.mock<typeof identity>('../../shared/domain/identity', () => {
  const real = jest.requireActual<typeof identity>('../../shared/domain/identity');
  const raw = (text: string) => text.trim() as ReturnType<typeof real.customerIdIdentity>;
  return {
    ...real,
    customerIdIdentity: (id) => (planted.looksUpIds ? raw(id) : real.customerIdIdentity(id)),
    emailIdentity: (email) => (planted.looksUpIds ? raw(email.toLowerCase()) : real.emailIdentity(email)),
  };
});
jest.mock<object>('../../shared/deletions/set-aside', () => {
  const real = jest.requireActual<{ isPermanentError(error: unknown): boolean }>('../../shared/deletions/set-aside');
  return { ...real, isPermanentError: (error: unknown) => !planted.setsNothingAside && real.isPermanentError(error) };
});

const service = useTestService(...HTTP_FUNCTIONS);
afterEach(() => {
  jest.restoreAllMocks();
  Object.assign(planted, { keepsAnyId: false, looksUpIds: false, setsNothingAside: false });
});

it.each<[mistake: string, flaws: Partial<typeof planted>]>([
  ['identifiers that are looked up as they are', { keepsAnyId: true, looksUpIds: true, setsNothingAside: true }],
  ['deletions that are set aside although nothing can match', { keepsAnyId: true, looksUpIds: true }],
])('catches %s', async (mistake, flaws) => {
  const to = service();
  Object.assign(planted, flaws);
  const property = fc.asyncProperty(drawnDeletion, fc.boolean(), fc.boolean(), async (sent, isDelivered, isBatch) => {
    await probeDeletion(to, sent, isDelivered, isBatch);
  });
  const { failed, numRuns, errorInstance } = await fc.check(property, {
    numRuns: MOST_CASES,
    seed: FAULTS_SEED,
    endOnFailure: true,
  });
  const said = errorInstance instanceof Error ? errorInstance.message.slice(0, 100) : '';
  report(`hostile deletions: ${mistake} are caught`, numRuns, failed ? 0 : 1, `by: ${said}`);
  expect(failed).toBe(true);
});
