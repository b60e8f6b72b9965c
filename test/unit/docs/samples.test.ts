/** Samples are programs: each language runs those that say what its values are. */
import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import type { ExampleRequest } from '../../../functions/docs/site/requests';
import { LANGUAGES } from '../../../functions/docs/site/samples';

const BODY = [
  {
    Name: `O'Brien "quoted" \\ back\nslash $HOME \`x\` – 😀`,
    EmailOptin: true,
    Phone: null,
    Price: -1.5e-7,
    Tags: [],
    Sub: {},
  },
];
const request = (method: string, body?: ExampleRequest['body']): ExampleRequest => ({
  name: 'example',
  summary: 'An example',
  method,
  parameters: {},
  target: '/customers/t?email=a%40b.c',
  body,
});

describe('a sample', () => {
  it('for curl gives the shell the body as it is, and the key from the environment', () => {
    const sample = LANGUAGES.curl(request('POST', BODY), 'x-service-auth-key');
    const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${sample}`], {
      env: { ...process.env, INGEST_KEY: 'the key' },
      encoding: 'utf8',
    });
    const words = printed.split('\0');
    expect(words.slice(0, -2)).toEqual([
      '-X',
      'POST',
      'https://ingest.example.com/customers/t?email=a%40b.c',
      '-H',
      'x-service-auth-key: the key',
      '-H',
      'Content-Type: application/json',
      '-d',
    ]);
    expect(JSON.parse(words.at(-2)!)).toEqual(BODY);
  });

  it('for JavaScript sends the body as it is', async () => {
    const sample = LANGUAGES.JavaScript(request('POST', BODY), 'x-service-auth-key');
    const sent: [string, RequestInit][] = [];
    const fetched = (url: string, init: RequestInit) => {
      sent.push([url, init]);
      return Promise.resolve({ status: 200, json: () => Promise.resolve({}) });
    };
    await runInNewContext(`(async () => {${sample}})()`, {
      fetch: fetched,
      AbortSignal,
      console: { log: () => undefined },
      process: { env: { INGEST_KEY: 'the key' } },
    });
    const [url, { method, headers, body }] = sent[0]!;
    expect({ url, method, headers }).toEqual({
      url: 'https://ingest.example.com/customers/t?email=a%40b.c',
      method: 'POST',
      headers: { 'x-service-auth-key': 'the key', 'Content-Type': 'application/json' },
    });
    expect(JSON.parse(body as string)).toEqual(BODY);
  });

  it('for Python writes its words for true, false and null, and texts as in JSON', () => {
    const sample = LANGUAGES.Python(request('POST', [{ a: null, b: true, c: false, d: `"'\\` }]), 'x-service-auth-key');
    expect(sample.replace(/\s+/g, ' ')).toContain('"a": None, "b": True, "c": False, "d": "\\"\'\\\\",');
    expect(sample).toContain("headers={'x-service-auth-key': os.environ['INGEST_KEY']},");
  });

  it.each(['curl', 'JavaScript', 'Python'] as const)(
    'for %s has no body and no method that are not sent',
    (language) => {
      const sample = LANGUAGES[language](request('GET'), 'x-service-auth-key');
      expect(sample).not.toMatch(/json=|body:|-d |-X|method:|Content-Type/);
    },
  );
});
