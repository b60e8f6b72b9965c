import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashApiKey, PERMISSIONS } from '../../shared/domain/api-key';
import { revokeKey, rotateKey } from '../../shared/operations/keys';
import { keepDemoKey, keyFileBeside, keyFileIn } from '../local/data/demo-key';
import { systemRandom } from '../../shared/platform/random';
import { FixedClock } from '../support/fixed-clock';
import { keysOf } from '../support/keys-of';
import { MemoryDocumentStore } from '../support/memory-document-store';
import { operatorOn } from '../support/memory-operator';

/** Of a stack that keeps nothing. */
const newOperator = () => operatorOn(new MemoryDocumentStore(), { clock: new FixedClock(), random: systemRandom });

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-key-'));
  file = keyFileBeside(join(folder, 'emulator.config.json'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the demo key (R-224)', () => {
  test('is in a folder that Git ignores, or in the data folder', () => {
    expect(file).toBe(join(folder, '.local/demo-key'));
    expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('.local/');
    expect(keyFileIn(folder)).toBe(join(folder, 'demo-key'));
  });

  test('is the same at the next start, with its id, where nothing else is kept; only this user can read it', async () => {
    const [first, second] = [newOperator(), newOperator()];
    const key = await keepDemoKey(file, 'demo', first);
    expect(hashApiKey(key)).toBeDefined();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await keepDemoKey(file, 'demo', second)).toBe(key);
    const third = newOperator();
    await keepDemoKey(file, 'demo', third);
    const [again] = await keysOf('demo', second);
    expect(again).toMatchObject({ permissions: PERMISSIONS, revokedAt: null });
    expect((await keysOf('demo', third)).map(({ keyId }) => keyId)).toEqual([again?.keyId]);
  });

  test('is not created twice where keys are kept', async () => {
    const operator = newOperator();
    const key = await keepDemoKey(file, 'demo', operator);
    expect(await keepDemoKey(file, 'demo', operator)).toBe(key);
    expect(await keysOf('demo', operator)).toHaveLength(1);
  });

  test('is another one after it was revoked', async () => {
    const operator = newOperator();
    const key = await keepDemoKey(file, 'demo', operator);
    const [{ keyId } = { keyId: '' }] = await keysOf('demo', operator);
    await revokeKey(keyId, operator);
    const next = await keepDemoKey(file, 'demo', operator);
    expect(next).not.toBe(key);
    expect(readFileSync(file, 'utf8')).toBe(`${next}\n`);
  });

  test('is another one after it has ended', async () => {
    const operator = newOperator();
    const key = await keepDemoKey(file, 'demo', operator);
    const [{ keyId } = { keyId: '' }] = await keysOf('demo', operator);
    await rotateKey(keyId, { overlap: 0 }, operator);
    expect(await keepDemoKey(file, 'demo', operator)).not.toBe(key);
  });

  test.each(['', 'no key', 'A'.repeat(44)])('is a new one where the file holds %j', async (content) => {
    await keepDemoKey(file, 'demo', newOperator());
    writeFileSync(file, content);
    const key = await keepDemoKey(file, 'demo', newOperator());
    expect(readFileSync(file, 'utf8')).toBe(`${key}\n`);
    expect(existsSync(`${file}.new`)).toBe(false);
  });
});
