import { isTopicName } from '../../../shared/domain/values/topic-name';

const named = (project: string, topic: string) => `projects/${project}/topics/${topic}`;

describe('isTopicName', () => {
  it.each([
    named('shop-of-ada', 'runs'), named('shop-1', 'R.u_n~s+%-1'), named(`a${'b'.repeat(29)}`, `r${'x'.repeat(254)}`),
    named('acme.com:shop-1', 'runs'), named('shop-of-ada', 'my-goog'),
  ])('accepts %.60j (R-110)', (name) => {
    expect(isTopicName(name)).toBe(true);
  }); // prettier-ignore

  it.each([
    '', 'runs', 'topics/runs', named('', 'runs'), named('shop-of-ada', ''), named('shop-of-ada', 'ru'), named('shop', 'runs'),
    named('shop-', 'runs'), named('1shop-1', 'runs'), named('Shop-1', 'runs'), named(`a${'b'.repeat(30)}`, 'runs'),
    named('shop-of-ada', '1runs'), named('shop-of-ada', 'goog-runs'), named('shop-of-ada', 'ru ns'), named('shop-of-ada', 'ru/ns'),
    named('shop-of-ada', 'runé'), named('shop-of-ada', `r${'x'.repeat(255)}`), ` ${named('shop-of-ada', 'runs')}`,
    `${named('shop-of-ada', 'runs')}\n`, 'projects/shop-of-ada/subscriptions/runs', `//pubsub.googleapis.com/${named('shop-of-ada', 'runs')}`,
    named('a.'.repeat(25_000), 'runs'), named('shop-of-ada', 'x'.repeat(50_000)),
  ])('refuses %.60j, as Pub/Sub would (R-110)', (name) => {
    expect(isTopicName(name)).toBe(false);
  }); // prettier-ignore
});
