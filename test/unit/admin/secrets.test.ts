/** The operator's command line and secrets: none goes in through arguments, and a new key comes out once. */
import type { Command } from 'commander';
import { createKey, revokeKey } from '../../../shared/operations/keys';
import { buildProgram } from '../../../functions/admin/program';
import { createTenant } from '../../../shared/operations/tenants';
import { apiKeyPath } from '../../../shared/documents/paths';
import { hashApiKey } from '../../../shared/domain/api-key';
import { FixedClock } from '../../support/fixed-clock';
import { keysOf } from '../../support/keys-of';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { SeededRandom } from '../../support/seeded-random';

const SECRET = /key|secret|token|password|credential/i;

function openOperator() {
  const store = new ObservedDocumentStore(new MemoryDocumentStore());
  const operator = operatorOn(store, { clock: new FixedClock(), random: new SeededRandom() });
  return { operator, store, said: operator.said };
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

describe('the arguments of every command', () => {
  const program = buildProgram(() => () => Promise.reject(new Error('No command is run here.')), process);
  const named = allCommands(program).flatMap((command) => [
    ...command.registeredArguments.map((argument) => argument.name()),
    ...command.options.map((option) => option.long ?? option.flags),
  ]);

  it('take no secret: a shell keeps them in its history and shows them to every process', () => {
    expect(named).toEqual(expect.arrayContaining(['--project', '--organization', 'guid']));
    expect(named.filter((name) => SECRET.test(name))).toEqual(['keyId', 'keyId']); // a key's public name, of rotate and revoke
  });
});

describe('the keys of an organization', () => {
  it('say so when the organization has no tenant or no key: it may be misspelt', async () => {
    const { operator, said } = openOperator();
    await createTenant({ organization: 'acme' }, operator);
    await createKey({ organization: 'acme' }, operator);
    await keysOf('acme', operator);
    expect(said).toEqual([]);
    expect(await keysOf('acne', operator)).toEqual([]);
    await createKey({ organization: 'acne' }, operator);
    expect(await keysOf('acne', operator)).toHaveLength(1);
    expect(said).toEqual([
      'The organization acne has no keys; tenants list shows the organization of each tenant.',
      'No tenant belongs to the organization acne yet; tenants list shows the organization of each tenant.',
    ]);
  });
});

describe('a new key', () => {
  it('is 256 random bits, and another one each time', async () => {
    const { operator } = openOperator();
    const keys = [];
    for (let count = 0; count < 20; count += 1) keys.push((await createKey({ organization: 'o' }, operator)).key);
    expect(new Set(keys).size).toBe(20);
    expect(keys.map((key) => Buffer.from(key, 'base64').length)).toEqual(Array(20).fill(32));
  });

  it('is stored as its hash alone: neither its text nor its bytes are in any document or document name', async () => {
    const { operator, store, said } = openOperator();
    const { key } = await createKey({ organization: 'o' }, operator);
    const dump = [...(await store.dump())];
    expect(dump.map(([path]) => path)).toEqual([
      apiKeyPath(hashApiKey(key)!),
      expect.stringMatching(/^auditLog\/\d{14}\.[0-9a-f]{12}$/),
    ]);
    const bytes = Buffer.from(key, 'base64');
    const stored = JSON.stringify([dump, said]);
    for (const form of [key, bytes.toString('base64url'), bytes.toString('hex')]) expect(stored).not.toContain(form);
  });

  it('is never shown again, nor is its hash: not by list, not by revoke', async () => {
    const { operator, said } = openOperator();
    const { key, keyId } = await createKey({ organization: 'o' }, operator);
    const shown = [await keysOf('o', operator), await revokeKey(keyId, operator), await keysOf('o', operator)];
    const text = JSON.stringify([shown, said]);
    expect(text).toContain(keyId);
    expect(text).not.toContain(key);
    expect(text).not.toContain(hashApiKey(key));
  });
});
