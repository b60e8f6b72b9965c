/** The messages of `google.pubsub.v1` that the service sends and reads. */
import type { LeasedMessage, Message } from '../../events/dead-letter-queue';
import type { Time } from '../grpc/timestamp';
import { decodeTimestamp } from '../grpc/timestamp';
import { WireReader } from '../grpc/wire-reader';
import { WireWriter } from '../grpc/wire-writer';

/** The field numbers, by message. */
const PublishRequest = { topic: 1, messages: 2 } as const;
const PubsubMessage = { data: 1, attributes: 2, messageId: 3, publishTime: 4 } as const;
const AttributesEntry = { key: 1, value: 2 } as const;
const GetSubscriptionRequest = { subscription: 1 } as const;
const PullRequest = { subscription: 1, maxMessages: 3 } as const;
const PullResponse = { receivedMessages: 1 } as const;
const ReceivedMessage = { ackId: 1, message: 2 } as const;
const AcknowledgeRequest = { subscription: 1, ackIds: 2 } as const;
const ModifyAckDeadlineRequest = { subscription: 1, ackDeadlineSeconds: 3, ackIds: 4 } as const;

type PublishedMessage = Omit<LeasedMessage, 'ackId'>;

/** What fields that are not in a message stand for. */
const EMPTY: PublishedMessage = { messageId: '', publishedAt: new Date(0), data: Buffer.alloc(0), attributes: {} };

/** A PublishRequest of one message. */
export function encodePublish(topic: string, { data, attributes }: Message): Buffer {
  const out = new WireWriter();
  out.text(PublishRequest.topic, topic);
  const message = out.open(PublishRequest.messages);
  out.raw(PubsubMessage.data, data);
  for (const [key, value] of Object.entries(attributes)) {
    const entry = out.open(PubsubMessage.attributes);
    out.text(AttributesEntry.key, key);
    out.text(AttributesEntry.value, value);
    out.close(entry);
  }
  out.close(message);
  return out.finish();
}

export function encodeGetSubscription(subscription: string): Buffer {
  const out = new WireWriter();
  out.text(GetSubscriptionRequest.subscription, subscription);
  return out.finish();
}

export function encodePull(subscription: string, maxMessages: number): Buffer {
  const out = new WireWriter();
  out.text(PullRequest.subscription, subscription);
  out.integer(PullRequest.maxMessages, maxMessages);
  return out.finish();
}

export function encodeAcknowledge(subscription: string, ackIds: readonly string[]): Buffer {
  const out = new WireWriter();
  out.text(AcknowledgeRequest.subscription, subscription);
  for (const ackId of ackIds) out.text(AcknowledgeRequest.ackIds, ackId);
  return out.finish();
}

/** A ModifyAckDeadlineRequest that ends the leases of messages. */
export function encodeRelease(subscription: string, ackIds: readonly string[]): Buffer {
  const out = new WireWriter();
  out.text(ModifyAckDeadlineRequest.subscription, subscription);
  out.integer(ModifyAckDeadlineRequest.ackDeadlineSeconds, 0);
  for (const ackId of ackIds) out.text(ModifyAckDeadlineRequest.ackIds, ackId);
  return out.finish();
}

/** The messages of a pull's answer. */
export function decodePulled(bytes: Buffer): LeasedMessage[] {
  const messages: LeasedMessage[] = [];
  const reader = new WireReader(bytes);
  while (reader.hasMore(reader.end)) {
    if (reader.field() === PullResponse.receivedMessages) messages.push(decodeReceived(reader));
    else reader.skip();
  }
  return messages;
}

function decodeReceived(reader: WireReader): LeasedMessage {
  let ackId = '';
  let message = EMPTY;
  for (const end = reader.message(); reader.hasMore(end);) {
    switch (reader.field()) {
      case ReceivedMessage.ackId:
        ackId = reader.text();
        break;
      case ReceivedMessage.message:
        message = decodeMessage(reader);
        break;
      default:
        reader.skip();
    }
  }
  return { ackId, ...message };
}

function decodeMessage(reader: WireReader): PublishedMessage {
  let { data, messageId, publishedAt } = EMPTY;
  const attributes: [string, string][] = [];
  for (const end = reader.message(); reader.hasMore(end);) {
    switch (reader.field()) {
      case PubsubMessage.data:
        data = Buffer.from(reader.raw()); // copied, or one message would keep the whole answer in memory
        break;
      case PubsubMessage.attributes:
        attributes.push(decodeAttribute(reader));
        break;
      case PubsubMessage.messageId:
        messageId = reader.text();
        break;
      case PubsubMessage.publishTime:
        publishedAt = toDate(decodeTimestamp(reader));
        break;
      default:
        reader.skip();
    }
  }
  return { messageId, publishedAt, data, attributes: Object.fromEntries(attributes) };
}

function decodeAttribute(reader: WireReader): [key: string, value: string] {
  let key = '';
  let value = '';
  for (const end = reader.message(); reader.hasMore(end);) {
    switch (reader.field()) {
      case AttributesEntry.key:
        key = reader.text();
        break;
      case AttributesEntry.value:
        value = reader.text();
        break;
      default:
        reader.skip();
    }
  }
  return [key, value];
}

function toDate({ seconds, nanos }: Time): Date {
  return new Date(seconds * 1_000 + nanos / 1_000_000);
}
