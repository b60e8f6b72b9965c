/** What is pasted into the console. */
import { formatOfText, lineAt } from '../../../functions/console/app/pages/send/content';

it.each([
  ['[{"Email":"a@b.c"}]', 'json'],
  [' \n{"Email":"a@b.c"}', 'json'],
  ['\uFEFF{"Email":"a@b.c"}', 'json'],
  ['Email,Name\na@b.c,A', 'csv'],
  ['', 'csv'],
])('takes %j for %s', (text, format) => expect(formatOfText(text)).toBe(format));

it.each([
  [1, 'one'],
  [2, 'two'],
  [3, ''],
  [4, 'four'],
  [5, 'five'],
])('finds line %i, whatever ends lines', (line, text) => {
  const lines = 'one\r\ntwo\n\rfour\nfive';
  const { start, end } = lineAt(lines, line);
  expect(lines.slice(start, end)).toBe(text);
});
