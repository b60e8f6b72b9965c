/** What the addresses of the console say. */
import * as fc from 'fast-check';
import type { Address } from '../../../functions/console/app/state/address';
import { parseAddress, toLink, valueOf } from '../../../functions/console/app/state/address';
import { PAGES } from '../../../functions/console/pages';

const parseLink = (link: string): Address => {
  const { pathname, hash } = new URL(link, 'https://data.example.com');
  return parseAddress(pathname, hash);
};

it('says the page and the run in the path, and everything else in the fragment (R-251)', () => {
  expect(toLink('runs', undefined, { tenant: 'T', status: 'failed', job: undefined, kind: '' })).toBe(
    '/console/runs#tenant=T&status=failed',
  );
  expect(toLink('runs', '2026-01/x y', {})).toBe('/console/runs/2026-01%2Fx%20y');
  expect(toLink('preview', undefined, { folder: ['a/', 'b c/'] })).toBe('/console/preview#folder=a%2F&folder=b+c%2F');
});

it('comes back as it was written, whatever is in it (R-251)', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 });
  const query = fc.dictionary(
    text.filter((name) => name !== '__proto__'),
    fc.array(text, { minLength: 1 }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...PAGES), fc.option(text, { nil: undefined }), query, (page, id, values) => {
      const isPathSegment = id !== '.' && id !== '..'; // a browser takes these for folders
      fc.pre(isPathSegment);
      const address = parseLink(toLink(page, id, values));
      expect(address.page).toBe(page);
      expect(address.id).toBe(id);
      expect(address.query).toEqual({ ...values });
    }),
  );
});

it.each(['/console', '/console/', '/console/unknown', '/console/__proto__', '/console/constructor'])(
  'names no page at %s',
  (path) => {
    expect(parseAddress(path, '#x=1')).toEqual({ page: undefined, id: undefined, query: { x: ['1'] } });
  },
);

it('takes what cannot be decoded as it is', () => {
  expect(parseAddress('/console/runs/%E0%A4', '').id).toBe('%E0%A4');
});

it('has the first of several values', () => {
  const address = parseAddress('/console/records', '#email=a%40b.c&email=d');
  expect(valueOf(address, 'email')).toBe('a@b.c');
  expect(valueOf(address, 'order')).toBeUndefined();
});
