import { createLogger, errorDetails } from '../../shared/platform/logger';
import { TRACE } from '../support/traces';

describe('createLogger', () => {
  it('writes one line of JSON, whatever the texts hold: nobody can add a line of their own', () => {
    const lines: string[] = [];
    const text = 'a\n{"severity":"INFO","message":"forged"}\r\u2028b\u001b[2J';
    createLogger('p', (line) => lines.push(line)).log('ERROR', text, { traceId: 'abc', reason: text });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/[\n\r\u001b]/);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      severity: 'ERROR',
      message: text,
      'logging.googleapis.com/trace': 'projects/p/traces/abc',
      traceId: 'abc',
      reason: text,
    });
  });
});

it('says the trace of a line as Cloud Logging reads it (R-394)', () => {
  const lines: string[] = [];
  createLogger('p', (line) => lines.push(line)).log('INFO', 'text', { ...TRACE, count: 1 });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      severity: 'INFO',
      message: 'text',
      'logging.googleapis.com/trace': `projects/p/traces/${TRACE.traceId}`,
      'logging.googleapis.com/spanId': TRACE.spanId,
      'logging.googleapis.com/trace_sampled': true,
      traceId: TRACE.traceId,
      count: 1,
    },
  ]);
});

describe('errorDetails', () => {
  it('tells of an error its name, code, place and at most 500 characters, and nothing that hangs on it', () => {
    const error = Object.assign(new TypeError('x'.repeat(600)), { code: 14, request: { headers: 'secret' } });
    const details = errorDetails(error);
    expect(details).toMatchObject({ error: 'TypeError', code: 14, reason: 'x'.repeat(500) });
    expect(Object.keys(details).sort()).toEqual(['code', 'error', 'reason', 'stack_trace']);
  });

  it('tells nothing of a thrown value that is no error', () => {
    expect(errorDetails('secret')).toEqual({ error: 'a thrown value that is no Error' });
  });
});
