import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../http-client';
import { refusedOf, sendAtRate, sendByCallers } from './request-load';

const answer = (status: number): Answer => ({ status, text: '', elapsedMs: 1 });

describe('sendAtRate', () => {
  it('sends by the clock, though no answer has come yet', async () => {
    const sent: number[] = [];
    let answerAll: (given: Answer) => void = () => undefined;
    const answered = new Promise<Answer>((resolve) => (answerAll = resolve));
    const load = sendAtRate(100, (number) => {
      sent.push(number);
      return answered;
    });
    await sleep(200);
    expect(sent.length).toBeGreaterThanOrEqual(10);
    expect(sent.length).toBeLessThanOrEqual(100);
    expect(sent).toEqual(sent.map((_, index) => index));
    answerAll(answer(200));
    expect(await load.stop()).toHaveLength(sent.length);
  });
});

describe('sendByCallers', () => {
  it('sends each request once, never more at once than there are callers', async () => {
    const sent: number[] = [];
    let atOnce = 0;
    let most = 0;
    const answers = await sendByCallers(3, 10, async (number) => {
      sent.push(number);
      most = Math.max(most, (atOnce += 1));
      await sleep(1);
      atOnce -= 1;
      return answer(200);
    });
    expect(sent.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(answers).toHaveLength(10);
    expect(most).toBe(3);
  });
});

describe('refusedOf', () => {
  it('takes a connection that ended without an answer as refused', () => {
    expect(refusedOf([answer(200), answer(503), answer(0)])).toEqual([answer(503), answer(0)]);
  });
});
