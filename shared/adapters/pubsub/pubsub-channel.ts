import type { ChannelOptions } from '@grpc/grpc-js';
import type { Clock } from '../../platform/clock';
import { GrpcChannel } from '../grpc/grpc-channel';

/** A pull answers with up to 1,000 messages, each of up to 10 MB; by default gRPC refuses an answer above 4 MiB. */
const OPTIONS: ChannelOptions = { 'grpc.max_receive_message_length': -1 };

/**
 * Opens a channel to a service of Pub/Sub over plain gRPC, because its SDK takes longer to load than everything else in
 * a function or a command.
 * @param emulator `host:port` of the emulator to call instead
 */
export function pubsubChannel(
  service: 'Publisher' | 'Subscriber',
  emulator: string | undefined,
  clock: Clock,
): GrpcChannel {
  return new GrpcChannel(
    {
      name: `google.pubsub.v1.${service}`,
      address: 'pubsub.googleapis.com:443',
      scope: 'https://www.googleapis.com/auth/pubsub',
      emulator,
      options: OPTIONS,
    },
    clock,
  );
}
