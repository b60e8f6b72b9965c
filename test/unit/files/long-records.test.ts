/** A record of many pieces, in none of which it ends. */
import { performance } from 'node:perf_hooks';
import { EVENT_LOOP_SHARE_MS } from '../../../shared/limits/platform';
import { inPieces, read } from './reading';

/** Pieces that are all there, each of which takes as long as a computation may hold the event loop. */
async function* slowPieces(content: string, size: number): AsyncGenerator<Buffer> {
  for await (const piece of inPieces(content, size)) {
    for (const end = performance.now() + EVENT_LOOP_SHARE_MS; performance.now() < end;);
    yield piece;
  }
}

it('lets other work have the event loop between the pieces of a long record', async () => {
  let turns = 0;
  const other = setInterval(() => (turns += 1), 0);
  const content = `Email\n"${'x'.repeat(10_000)}"\n`;
  const { rows } = await read(slowPieces(content, 1_000), { kind: 'customers', format: 'csv' });
  clearInterval(other);
  expect(rows).toEqual([{ line: 2, record: { Email: 'x'.repeat(10_000) } }]);
  expect(turns).toBeGreaterThanOrEqual(5);
});
