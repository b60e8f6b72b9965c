/** What a command says on stderr while it works: on a terminal, and in a log or a file. */
import { Writable } from 'node:stream';
import { Progress } from '../../../functions/admin/progress';
import { FixedClock } from '../../support/fixed-clock';

function aProgress({ isTTY }: { isTTY: boolean }) {
  const clock = new FixedClock();
  const written: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    written.push(chunk.toString());
    done();
  };
  const progress = new Progress(Object.assign(new Writable({ write }), { isTTY }), clock);
  return { progress, clock, said: () => written.join('') };
}

it('writes one line in five seconds where lines stay', () => {
  const { progress, clock, said } = aProgress({ isTTY: false });
  for (let count = 1; count <= 11; count += 1) {
    progress.show(`${count} exported`);
    clock.advance(1_000);
  }
  progress.end();
  expect(said()).toBe('1 exported\n6 exported\n11 exported\n');
});

it('writes each message over the one before it on a terminal', () => {
  const { progress, said } = aProgress({ isTTY: true });
  for (const count of [1, 2]) progress.show(`${count} exported`);
  progress.end();
  expect(said()).toBe('\r\u001b[K1 exported\r\u001b[K2 exported\n');
});

it.each([
  [true, '\r\u001b[K1 exported\r\u001b[KMind this.\nAnd this.\n'],
  [false, '1 exported\nMind this.\nAnd this.\n'],
])('keeps each notice as a line of its own (terminal: %j)', (isTTY, expected) => {
  const { progress, said } = aProgress({ isTTY });
  progress.show('1 exported');
  progress.notice('Mind this.');
  progress.notice('And this.');
  progress.clear(); // as before a result is printed
  progress.end();
  expect(said()).toBe(expected);
});
