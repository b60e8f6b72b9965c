/** That what the client knows of the service is what `openapi.json` says. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BATCHES, MAX_BODY_BYTES } from '../../client/src/contract';
import * as limits from '../../shared/domain/limits';

const ROOT = join(__dirname, '../..');

it('is what `npm run client:types` writes: run it after a change of the contract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-test-'));
  const out = join(folder, 'contract.ts');
  try {
    execFileSync(process.execPath, ['--import', 'tsx', 'client/build/types.ts', out], { cwd: ROOT });
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(join(ROOT, 'client/src/contract.ts'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('has the bounds that the service enforces (R-130)', () => {
  expect(MAX_BODY_BYTES).toBe(limits.MAX_BODY_BYTES);
  expect(BATCHES).toEqual({
    upsertCustomers: limits.MAX_BATCH.customers,
    upsertProducts: limits.MAX_BATCH.products,
    upsertOrders: limits.MAX_BATCH.orders,
    deleteCustomers: limits.MAX_DELETION_BATCH,
    deleteProducts: limits.MAX_DELETION_BATCH,
    deleteOrders: limits.MAX_DELETION_BATCH,
  });
});
