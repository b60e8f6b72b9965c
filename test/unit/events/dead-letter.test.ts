import { parseDeadLetter } from '../../../shared/events/dead-letter';

const rejected = (event: object, attributes = {}) => ({ data: Buffer.from(JSON.stringify(event)), attributes });

describe('what a function rejected', () => {
  it('has the function, the reason, the message’s id and its bytes', () => {
    const bytes = Buffer.from('not JSON \xff', 'latin1');
    const message = rejected(
      { function: 'deletion-consumer', messageId: '17', data: bytes.toString('base64') },
      { function: 'deletion-consumer', reason: 'The data of the message is not JSON.' },
    );
    expect(parseDeadLetter(message)).toEqual({
      function: 'deletion-consumer',
      reason: 'The data of the message is not JSON.',
      failedMessageId: '17',
      attempts: null,
      original: { data: bytes, attributes: {} },
    });
  });

  it('may have no data and no reason', () => {
    const message = rejected({ function: 'transfer-runner', messageId: '17', data: '' });
    expect(parseDeadLetter(message)).toMatchObject({ reason: null, original: { data: Buffer.alloc(0) } });
  });
});

describe('what Pub/Sub forwarded', () => {
  const source = {
    CloudPubSubDeadLetterSourceDeliveryCount: '20',
    CloudPubSubDeadLetterSourceSubscription: 'transfer-runner',
    CloudPubSubDeadLetterSourceSubscriptionProject: 'acme-data',
    CloudPubSubDeadLetterSourceTopicPublishTime: '2026-03-01T12:00:30.732+00:00',
  };
  const data = Buffer.from('{"step":"file"}');

  it('has the subscription, the attempts, and data and attributes as they were', () => {
    expect(parseDeadLetter({ data, attributes: { ...source, color: 'red' } })).toEqual({
      function: 'transfer-runner',
      reason: 'The subscription gave up on it after its attempts.',
      failedMessageId: null,
      attempts: 20,
      original: { data, attributes: { color: 'red' } },
    });
  });

  it('may name the subscription with its project', () => {
    const attributes = {
      ...source,
      CloudPubSubDeadLetterSourceSubscription: 'projects/p/subscriptions/transfer-runner',
    };
    expect(parseDeadLetter({ data, attributes }).function).toBe('transfer-runner');
  });

  it.each([undefined, 'many', '1.5'])('has no attempts when their count is %j', (count) => {
    const { CloudPubSubDeadLetterSourceSubscription } = source;
    const counted = { ...(count !== undefined && { CloudPubSubDeadLetterSourceDeliveryCount: count }) };
    const attributes = { CloudPubSubDeadLetterSourceSubscription, ...counted };
    expect(parseDeadLetter({ data, attributes }).attempts).toBeNull();
  });

  it('is recognized by its attributes, even when its data looks like what a function rejected', () => {
    const message = rejected({ function: 'x', messageId: '1', data: 'e30=' }, source);
    expect(parseDeadLetter(message)).toMatchObject({ function: 'transfer-runner', original: { data: message.data } });
  });
});

describe('anything else', () => {
  it.each([
    '',
    'text',
    'null',
    '7',
    '[]',
    '{}',
    '{"function":"x","messageId":"1"}',
    '{"function":"x","data":"e30="}',
    '{"messageId":"1","data":"e30="}',
    '{"function":["x"],"messageId":"1","data":"e30="}',
  ])('is an original of unknown origin: %s', (text) => {
    const message = { data: Buffer.from(text), attributes: { a: 'b' } };
    expect(parseDeadLetter(message)).toEqual({
      function: null,
      reason: null,
      failedMessageId: null,
      attempts: null,
      original: message,
    });
  });
});
