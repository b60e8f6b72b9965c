import { FILE_START } from '../../../shared/files/row';
import { RowChunker } from '../../../shared/files/row-chunker';

it('ends a chunk where its rows take its bytes in memory, however few they are in the file', () => {
  const chunker = new RowChunker(FILE_START, 800, 1_000);
  const records = Array.from({ length: 10 }, (_, line) => ({
    row: { line, record: {} },
    checkpoint: { ...FILE_START, line },
    bytes: 400,
  }));
  const chunks = [...chunker.feed(records), ...chunker.flush()];
  expect(chunks.map(({ rows }) => rows.length)).toEqual([3, 3, 3, 1]);
});
