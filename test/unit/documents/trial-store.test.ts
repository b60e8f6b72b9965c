/** That a store on which writes are tried out shows and refuses what the database would, and changes nothing in it. */
import * as fc from 'fast-check';
import { TrialStore, TrialTooLarge } from '../../../shared/documents/trial-store';
import { documentBytes } from '../../../shared/domain/records/document';
import { TRIAL_BYTES } from '../../../shared/limits/records';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { AMPLE, answerOf, CHANGE, PATHS, stepOf, toWrite } from './drawn-steps';

it('answers what the database would, and writes nothing into it (R-82)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(CHANGE),
      fc.array(stepOf(['commit', 'writeEach'], ['list']), { maxLength: 12 }),
      async (before, steps) => {
        const [database, tried] = [new MemoryDocumentStore(), new MemoryDocumentStore()];
        for (const change of before) {
          for (const store of [database, tried]) await store.commit([await toWrite(store, change)]);
        }
        const everything = await tried.getAll(PATHS);
        const trial = new TrialStore(tried, new FixedClock());
        for (const step of steps) expect(await answerOf(trial, step)).toEqual(await answerOf(database, step));
        expect(await tried.getAll(PATHS)).toStrictEqual(everything);
      },
    ),
    { numRuns: 1_000 },
  );
});

it('keeps no more than a bounded number of bytes, and takes nothing more after that (R-84)', async () => {
  const trial = new TrialStore(new MemoryDocumentStore(), new FixedClock());
  const write = (path: string, bytes: number) =>
    trial.commit([{ set: path, data: { text: 'x'.repeat(bytes) } }], AMPLE);
  const half = 0.5 * TRIAL_BYTES - 1_000;
  await write('a/1', half);
  await write('a/1', half); // the same document again
  await write('a/2', half);
  await expect(write('a/3', half)).rejects.toThrow(TrialTooLarge);
  await expect(write('a/4', 1)).rejects.toThrow(TrialTooLarge);
});

it('counts the bytes that the database would, whatever the length of a path (R-84)', async () => {
  const trial = new TrialStore(new MemoryDocumentStore(), new FixedClock());
  const text = 'x'.repeat(TRIAL_BYTES - documentBytes({ text: '' }));
  const long = `a/${'y'.repeat(1_000)}`;
  await trial.commit([{ set: long, data: { text } }], AMPLE);
  await trial.commit([{ set: long, data: { text }, fields: ['text'] }], AMPLE);
  await expect(trial.commit([{ set: long, data: { text: `${text}x` } }], AMPLE)).rejects.toThrow(TrialTooLarge);
});

it('gives all documents of a commit one version, with the time of the clock', async () => {
  const clock = new FixedClock();
  const trial = new TrialStore(new MemoryDocumentStore(), clock);
  const version = await trial.commit(
    [
      { set: 'a/1', data: {}, writtenAt: ['at'] },
      { set: 'a/2', data: {} },
    ],
    AMPLE,
  );
  const found = await trial.getAll(['a/1', 'a/2'], AMPLE);
  expect(found.map((document) => document.version)).toEqual([version, version]);
  expect(found[0]?.data).toEqual({ at: new Date(clock.nowMs()) });
});

it('refuses the calls that no upsert makes', async () => {
  const trial = new TrialStore(new MemoryDocumentStore(), new FixedClock());
  await expect(trial.begin()).rejects.toThrow('cannot be tried out');
  await expect(trial.count()).rejects.toThrow('cannot be tried out');
  await expect(trial.listRefs()).rejects.toThrow('cannot be tried out');
  await expect(trial.findWhere()).rejects.toThrow('cannot be tried out');
});
