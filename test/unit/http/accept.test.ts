import { preferredType } from '../../../shared/http/accept';

const OFFERED = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
const [JSON_TYPE, NDJSON, CSV] = OFFERED;

it.each([
  [undefined, JSON_TYPE],
  ['', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['application/json', JSON_TYPE],
  ['application/x-ndjson', NDJSON],
  ['text/csv', CSV],
  ['TEXT/CSV', CSV],
  ['text/csv; charset=utf-8', CSV],
  ['text/csv ; header=present ; q=0.5', CSV],
])('takes %p for %s (R-90)', (header, expected) => {
  expect(preferredType(header, OFFERED)).toBe(expected);
});

it.each([
  ['text/csv;q=0.4, application/x-ndjson;q=0.5', NDJSON],
  ['application/json;q=0.1, text/csv;q=0.11', CSV],
  ['text/csv, */*;q=0.8', CSV],
  ['text/csv;q=0.7, */*;q=0.8', JSON_TYPE],
  ['text/csv;q=0.7, */*', JSON_TYPE],
])('takes of %p what has the greatest weight, %s (R-90)', (header, expected) => {
  expect(preferredType(header, OFFERED)).toBe(expected);
});

it.each([
  ['text/csv, application/json', CSV],
  ['application/x-ndjson, text/csv, application/json', NDJSON],
  ['application/json, application/x-ndjson', JSON_TYPE],
  ['*/*, text/csv', CSV],
  ['text/csv, */*', CSV],
  ['*/*, application/*', JSON_TYPE],
  ['application/*, application/x-ndjson', NDJSON],
  ['text/*', CSV],
  ['text/*, application/*', CSV],
])('takes of equal ones in %p the named one, then the first, %s (R-90)', (header, expected) => {
  expect(preferredType(header, OFFERED)).toBe(expected);
});

it.each([
  ['text/html', JSON_TYPE],
  ['text/html, application/xml;q=0.9, image/*', JSON_TYPE],
  ['text/html, text/csv;q=0.1', CSV],
  ['text/csv;q=0', JSON_TYPE],
  ['application/json;q=0, */*', NDJSON],
  ['application/json;q=0.000, application/*;q=0, text/csv;q=0.001', CSV],
  ['*/*;q=0', JSON_TYPE],
])('takes of %p nothing that is not wanted, by default JSON: %s (R-90)', (header, expected) => {
  expect(preferredType(header, OFFERED)).toBe(expected);
});

it.each([
  ['text/csv;q=2', JSON_TYPE],
  ['text/csv;q=-1', JSON_TYPE],
  ['text/csv;q=', JSON_TYPE],
  ['text/csv;q=0.1234', JSON_TYPE],
  ['text/csv;q=x, application/x-ndjson;q=0.1', NDJSON],
  ['*', JSON_TYPE],
  ['csv', JSON_TYPE],
  ['*/csv', JSON_TYPE],
  [',,;;q=1,text/csv', CSV],
])('leaves out of %p what it cannot read: %s (R-90)', (header, expected) => {
  expect(preferredType(header, OFFERED)).toBe(expected);
});
