import { isBucketName } from '../../../shared/domain/values/bucket-name';

describe('isBucketName', () => {
  it.each([
    'abc', '123', 'a-b_c', 'a__b', 'acme.example.com', '1.2.3', '1.2.3.4.5', 'a.b', 'x'.repeat(63),
    `${'x'.repeat(63)}.${'y'.repeat(63)}.${'z'.repeat(63)}.${'w'.repeat(30)}`, 'my-goog-data', 'xgoog', 'gogle',
  ])('accepts %.50j (D-57)', (name) => {
    expect(isBucketName(name)).toBe(true);
  }); // prettier-ignore

  it.each([
    '', 'ab', 'x'.repeat(64), `${'x'.repeat(64)}.a`, `${'x'.repeat(63)}.${'y'.repeat(63)}.${'z'.repeat(63)}.${'w'.repeat(31)}`,
    'Acme-data', 'acme data', ' acme-data', 'acme-data\n', '-acme', 'acme-', '_acme', 'acme_', '.acme', 'acme.', 'ac..me', 'ac.-me',
    'gs://acme', 'acme/data', 'acmé', '192.168.5.4', '999.999.999.999', 'goog', 'google', 'goog-data', 'my-google', 'g00gle-data',
    'xgo0gle', 'my.g0ogle.io', '__proto__', 'x'.repeat(50_000), `${'a.'.repeat(25_000)}a`,
  ])('refuses %.50j, as Cloud Storage would (D-57)', (name) => {
    expect(isBucketName(name)).toBe(false);
  }); // prettier-ignore
});
