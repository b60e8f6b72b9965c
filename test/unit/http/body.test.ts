import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { LARGE_WORK_BYTES } from '../../../shared/limits/requests';
import {
  MAX_BATCH,
  MAX_BODY_BYTES,
  MAX_BODY_DEPTH,
  MAX_BODY_VALUES,
  MAX_OBJECT_MEMBERS,
} from '../../../shared/domain/limits';
import type { BodyShape } from '../../../shared/http/body';
import { readJsonBody } from '../../../shared/http/body';
import { Capacity } from '../../../shared/http/capacity';
import { HttpProblem, RequestAborted } from '../../../shared/http/problems';
import { ValidationFailed } from '../../../shared/validation/validation-failed';
import type { FakeRequest } from '../support/fake-request';
import { fakeRequest } from '../support/fake-request';

const JSON_TYPE = { 'content-type': 'application/json' };
const GZIP = { ...JSON_TYPE, 'content-encoding': 'gzip' };
const MEBIBYTE = Buffer.alloc(1024 * 1024, ' ');

const newReservation = () => new Capacity().begin('caller');
const read = (request: FakeRequest, shape: BodyShape = 'array') =>
  readJsonBody(fakeRequest(request), shape, newReservation());
const readText = (text: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
  read({ headers, chunks: [text] });

/** What a body is refused with: the messages of a 400, or the status of an envelope. */
async function refusalOf(body: Promise<unknown>): Promise<unknown> {
  const error: unknown = await body.then(() => undefined, (reason: unknown) => reason); // prettier-ignore
  if (error instanceof ValidationFailed) return error.errors;
  if (error instanceof HttpProblem) return { status: error.status, message: error.message };
  return error;
}

const atRoot = (message: string) => ({ '': [message] });
const NOT_JSON = atRoot('The request body is not valid JSON.');
const NOT_GZIP = atRoot('The request body is not valid gzip.');
const TOO_LARGE = {
  status: 413,
  message: 'The request body must be at most 16777216 bytes, before and after decompression.',
};

/** `bytes` in pieces of `size`. */
function inPieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, piece) =>
    bytes.subarray(piece * size, (piece + 1) * size),
  );
}

describe('a JSON body', () => {
  it('is read as it was sent, in whatever pieces it arrives, compressed or not (D-33)', async () => {
    const document = fc.record({ value: fc.jsonValue(), piece: fc.integer({ min: 1, max: 20 }), gzip: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(document, async ({ value, piece, gzip }) => {
        const text = JSON.stringify([value]);
        const chunks = inPieces(gzip ? gzipSync(text) : Buffer.from(text), piece);
        expect(await read({ headers: gzip ? GZIP : JSON_TYPE, chunks })).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 50 },
    );
  });

  it('may begin with a byte order mark (D-32)', async () => {
    expect(await readText(Buffer.from('\ufeff[1]'))).toStrictEqual([1]);
  });

  it('is whole when it is so large that it is looked at and decoded in pieces', async () => {
    for (const blanks of ['', ' ', '  ', '   ']) {
      const texts = [blanks, '🍵'.repeat(400_000), '"\\é'.repeat(300_000)]; // of several bytes, wherever a piece ends
      expect(await readText(Buffer.from(`\ufeff${blanks}${JSON.stringify(texts)}`))).toStrictEqual(texts);
    }
  });

  it('keeps a member named __proto__ apart from the prototype', async () => {
    const [element] = (await readText('[{"__proto__":{"Email":"a@x.io"}}]')) as [Record<string, unknown>];
    expect(Object.getPrototypeOf(element)).toBe(Object.prototype);
    expect(Object.keys(element)).toStrictEqual(['__proto__']);
  });

  it.each<[string, string | Buffer]>([
    ['a broken text', '[{"Email":'],
    ['a comma at the end', '[1,]'],
    ['single quotes', "[{'a':1}]"],
    ['NaN', '[NaN]'],
    ['a comment', '[] // all'],
    ['two documents', '[][]'],
    ['NDJSON', '{"a":1}\n{"a":2}'],
    ['a raw line break in a text', '["a\nb"]'],
    ['an unclosed text', '["a'],
    ['an unclosed text that ends with a backslash', '["a\\'],
    ['more brackets closed than opened', ']]]]'],
    ['white space only', '  \n'],
    ['a byte order mark only', '\ufeff'],
    ['invalid UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0x22, 0x5d])],
    ['half of an emoji', Buffer.concat([Buffer.from('["'), Buffer.from('😀').subarray(0, 2), Buffer.from('"]')])],
    ['overlong UTF-8', Buffer.from([0x5b, 0x22, 0xc0, 0xaf, 0x22, 0x5d])],
    ['UTF-8 of a surrogate', Buffer.from([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d])],
    ['UTF-16', Buffer.from('\ufeff[1]', 'utf16le')],
    ['gzip without its header', gzipSync('[]')],
  ])('is refused with 400 when it is %s (D-32)', async (_, bytes) => {
    expect(await refusalOf(readText(bytes))).toStrictEqual(NOT_JSON);
  });

  it('is refused with 400 when it is absent, in the words of what was expected (D-32)', async () => {
    expect(await refusalOf(read({}))).toStrictEqual(atRoot('The request body must be a JSON array.'));
    expect(await refusalOf(read({ headers: JSON_TYPE }, 'object'))).toStrictEqual(atRoot('The request body must be a JSON object.'));
    expect(await refusalOf(read({ headers: GZIP, chunks: [gzipSync('')] }))).toStrictEqual(
      atRoot('The request body must be a JSON array.'),
    );
  }); // prettier-ignore

  it('is not waited for when the caller leaves', async () => {
    expect(await refusalOf(read({ headers: JSON_TYPE, chunks: ['[1,'], leaves: true }))).toBeInstanceOf(RequestAborted);
    expect(await refusalOf(read({ headers: GZIP, chunks: [gzipSync('[1]').subarray(0, 12)], leaves: true }))).toBeInstanceOf(
      RequestAborted,
    );
  }); // prettier-ignore
});

describe('a body that comes while large ones are worked on', () => {
  const batch = (count: number, bytes: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, n) => ({ CustomerId: `c${n}`, EmailOptin: true, Name: 'x'.repeat(bytes) })),
    );
  const isRead = async (text: string): Promise<boolean> => {
    const capacity = new Capacity();
    capacity.begin('other').tryToReserveMemory(LARGE_WORK_BYTES);
    const reservation = capacity.begin('caller');
    const reading = readJsonBody(fakeRequest({ headers: JSON_TYPE, chunks: [text] }), 'array', reservation);
    const waiting = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 1_000));
    const outcome = await Promise.race([reading.then(() => true), waiting]);
    reservation.release();
    await reading.catch(() => undefined);
    return outcome;
  };

  it.each([300, 900])(
    'does not wait where it is an ordinary batch: 1,000 customers of %d bytes (R-12)',
    async (bytes) => {
      expect(await isRead(batch(MAX_BATCH.customers, bytes))).toBe(true);
    },
  );

  it('waits where it takes much: one of very many values', async () => {
    expect(await isRead(`[${'[],'.repeat(150_000)}[]]`)).toBe(false);
  });

  it('is refused at once where it is beyond a bound', async () => {
    await expect(isRead(`[${'['.repeat(MAX_BODY_DEPTH)}${'x'.repeat(500_000)}`)).rejects.toThrow(ValidationFailed);
  });
});

describe('the media type', () => {
  it.each([
    'application/json', 'APPLICATION/JSON', ' application/json ; charset=utf-8', 'application/json;charset="UTF-8"',
    'application/json; charset=utf8', 'application/json; charset=us-ascii', 'application/json; profile=x', 'text/json',
    'application/vnd.api+json', 'application/problem+json', '', ' ',
  ])('may be %j (D-33)', async (contentType) => {
    expect(await readText('[1]', { 'content-type': contentType })).toStrictEqual([1]);
  }); // prettier-ignore

  it('may be missing (D-33)', async () => {
    expect(await readText('[1]', {})).toStrictEqual([1]);
  });

  it.each([
    'text/plain', 'text/html', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x',
    'application/jsonp', 'application/x-ndjson', 'json', 'application/json, text/plain', 'application/octet-stream',
    'application/json; charset=utf-16', 'application/json; charset=iso-8859-1', 'application/json; charset=',
  ])('is refused with 415 when it is %j (D-33)', async (contentType) => {
    expect(await refusalOf(readText('[1]', { 'content-type': contentType }))).toStrictEqual({
      status: 415,
      message: 'The Content-Type must be application/json in UTF-8.',
    });
  }); // prettier-ignore
});

describe('the content encoding', () => {
  it.each(['gzip', 'GZIP', ' x-gzip '])('may be %j (D-33)', async (encoding) => {
    expect(await readText(gzipSync('[1]'), { ...JSON_TYPE, 'content-encoding': encoding })).toStrictEqual([1]);
  });

  it.each(['', 'identity', 'Identity '])('may be %j, which changes nothing (D-33)', async (encoding) => {
    expect(await readText('[1]', { ...JSON_TYPE, 'content-encoding': encoding })).toStrictEqual([1]);
  });

  it.each(['br', 'deflate', 'zstd', 'gzip, gzip', 'compress'])(
    'is refused with 415 when it is %j (D-33)',
    async (encoding) => {
      expect(await refusalOf(readText('[1]', { ...JSON_TYPE, 'content-encoding': encoding }))).toStrictEqual({
        status: 415,
        message: 'The Content-Encoding must be gzip or identity.',
      });
    },
  );
});

describe('a compressed body', () => {
  const large = Buffer.from(
    JSON.stringify(Array.from({ length: 40_000 }, (_, index) => `${index} ${randomBytes(9).toString('hex')}`)),
  );

  it('is inflated across many chunks (D-33)', async () => {
    const records = await read({ headers: GZIP, chunks: inPieces(gzipSync(large), 20_000) });
    expect(records).toStrictEqual(JSON.parse(large.toString()));
  });

  it('may consist of several members (RFC 1952)', async () => {
    expect(await read({ headers: GZIP, chunks: [gzipSync('[1,'), gzipSync('2]')] })).toStrictEqual([1, 2]);
  });

  it.each<[string, (whole: Buffer) => Buffer[]]>([
    ['no gzip', () => [Buffer.from('[1]')]],
    ['cut off in its header', (whole) => [whole.subarray(0, 5)]],
    ['cut off in its middle', (whole) => [whole.subarray(0, whole.length / 2)]],
    ['cut off before its check sum', (whole) => [whole.subarray(0, -8)]],
    ['false in its check sum', (whole) => [whole.subarray(0, -8), Buffer.alloc(8, 1)]],
    ['random bytes in one large chunk', () => [randomBytes(300_000)]],
    ['random bytes that go on and on', () => inPieces(randomBytes(300_000), 30_000)],
    [
      'broken in its middle, with more to come',
      (whole) => inPieces(Buffer.concat([whole.subarray(0, 1000), Buffer.alloc(200_000, 0xff)]), 20_000),
    ],
  ])('is refused with 400 when it is %s (D-32)', async (_, damage) => {
    expect(await refusalOf(read({ headers: GZIP, chunks: damage(gzipSync(large)) }))).toStrictEqual(NOT_GZIP);
  });

  it('is refused when it is read to its end, as one of plain text is: with 400, or with 413 when that never comes (D-32)', async () => {
    const request = fakeRequest({ headers: GZIP, chunks: inPieces(randomBytes(100_000), 20_000), endsAfterMs: 100 });
    expect(await refusalOf(readJsonBody(request, 'array', newReservation()))).toStrictEqual(NOT_GZIP);
    expect(request.readableEnded).toBe(true);
    const endless = { headers: GZIP, chunks: Array.from({ length: 20 }, () => MEBIBYTE) };
    expect(await refusalOf(read(endless))).toStrictEqual(TOO_LARGE);
  });

  it('is not waited for when it is broken and the caller leaves', async () => {
    const request = { headers: GZIP, chunks: inPieces(randomBytes(100_000), 20_000), leaves: true };
    expect(await refusalOf(read(request))).toBeInstanceOf(RequestAborted);
  });
});

describe('a body that is too large', () => {
  const padded = (bytes: number) => Buffer.concat([Buffer.from('[1]'), Buffer.alloc(bytes - 3, ' ')]);

  it('is one of more than 16 MiB: exactly 16 MiB is read (D-33)', async () => {
    expect(MAX_BODY_BYTES).toBe(16 * 1024 * 1024);
    expect(await readText(padded(MAX_BODY_BYTES))).toStrictEqual([1]);
    expect(await readText(gzipSync(padded(MAX_BODY_BYTES)), GZIP)).toStrictEqual([1]);
  });

  it('is refused with 413 at one byte more (D-33)', async () => {
    expect(await refusalOf(readText(padded(MAX_BODY_BYTES + 1)))).toStrictEqual(TOO_LARGE);
    expect(await refusalOf(readText(gzipSync(padded(MAX_BODY_BYTES + 1)), GZIP))).toStrictEqual(TOO_LARGE);
  });

  it('is refused with 413 while the rest is still being sent (D-33)', async () => {
    const chunks = Array.from({ length: 20 }, () => MEBIBYTE);
    expect(await refusalOf(read({ headers: JSON_TYPE, chunks }))).toStrictEqual(TOO_LARGE);
  });

  it('is refused with 413 when a small body inflates to it (D-33)', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(300_000);
    expect(await refusalOf(readText(bomb, GZIP))).toStrictEqual(TOO_LARGE);
    expect(await refusalOf(read({ headers: GZIP, chunks: inPieces(bomb, 10_000) }))).toStrictEqual(TOO_LARGE);
  });
});

describe('the structure of a body', () => {
  const nested = (depth: number, open = '[', close = ']') => `${open.repeat(depth)}${close.repeat(depth)}`;
  const TOO_DEEP = atRoot(`The request body must be nested at most ${MAX_BODY_DEPTH} levels deep.`);

  it(`may be nested ${MAX_BODY_DEPTH} levels deep, and no deeper`, async () => {
    expect(await readText(nested(MAX_BODY_DEPTH))).toBeDefined();
    expect(await refusalOf(readText(nested(MAX_BODY_DEPTH + 1)))).toStrictEqual(TOO_DEEP);
    expect(await refusalOf(readText(nested(MAX_BODY_DEPTH + 1, '{"a":[', ']}')))).toStrictEqual(TOO_DEEP);
    expect(await refusalOf(readText('['.repeat(1_000_000)))).toStrictEqual(TOO_DEEP);
  });

  it('is of what is kept: a value that a later one of the same name replaces may be deeper', async () => {
    expect(await readText(`{"a":${nested(MAX_BODY_DEPTH)},"a":1}`)).toStrictEqual({ a: 1 });
  });

  it('has the same bound where it is large', async () => {
    const large = (depth: number) => `["${'x'.repeat(MAX_BODY_VALUES)}", ${nested(depth - 1)}]`;
    expect(await readText(large(MAX_BODY_DEPTH))).toHaveLength(2);
    expect(await refusalOf(readText(large(MAX_BODY_DEPTH + 1)))).toStrictEqual(TOO_DEEP);
    expect(await refusalOf(readText('['.repeat(MAX_BODY_VALUES)))).toStrictEqual(TOO_DEEP);
  });

  it.each(['[[[[', '{"a":[', ']]]]', '\\"[[[[', '[\\', '\\\\', '\\\\\\"['])(
    'is not looked for inside of texts: %j',
    async (part) => {
      const text = part.repeat(40);
      expect(await readText(JSON.stringify([text, { [text]: text }]))).toStrictEqual([text, { [text]: text }]);
    },
  );

  it.each([0, MAX_BODY_VALUES])(
    'may have 1,000 members in each object, and no more, with %d bytes around them',
    async (around) => {
      const withMembers = (count: number) =>
      JSON.stringify([{ text: 'x'.repeat(around) }, Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, [1, 2]]))]); // prettier-ignore
      expect(await readText(withMembers(MAX_OBJECT_MEMBERS))).toHaveLength(2);
      expect(await refusalOf(readText(withMembers(MAX_OBJECT_MEMBERS + 1)))).toStrictEqual(
        atRoot(`The request body must have at most ${MAX_OBJECT_MEMBERS} members in each object.`),
      );
    },
  );

  it('may have neighbours without end, as only nesting counts', async () => {
    const wide = JSON.stringify(Array.from({ length: 1000 }, () => [{ a: [1] }]));
    expect(await readText(wide)).toHaveLength(1000);
  });

  it('is refused with 400 when it has more values than memory should hold', async () => {
    const message = `The request body must hold at most ${MAX_BODY_VALUES} values.`;
    const many = `[${'[],'.repeat(MAX_BODY_VALUES / 2)}[]]`;
    expect(await refusalOf(readText(many))).toStrictEqual(atRoot(message));
  });
});
