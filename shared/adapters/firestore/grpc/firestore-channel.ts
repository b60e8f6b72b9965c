import type { ChannelOptions } from '@grpc/grpc-js';
import type { Clock } from '../../../platform/clock';
import type { Config } from '../../../config';
import { GrpcChannel } from '../../grpc/grpc-channel';
import { EMULATOR_HEADERS } from '../emulator-headers';

const OPTIONS: ChannelOptions = {
  // Bytes that may be in transit before the reader confirms them. With HTTP/2's default of 64 KiB, a chunk of documents
  // takes several round trips.
  'grpc-node.flow_control_window': 1024 * 1024,
  // A stored document has at most 1 MiB, but a list of booleans takes four times as much in an answer.
  'grpc.max_receive_message_length': 8 * 1024 * 1024,
};

/** Opens the channel to the database, or to the emulator. */
export function firestoreChannel(
  { emulators, projectId, databaseId }: Pick<Config, 'emulators' | 'projectId' | 'databaseId'>,
  clock: Clock,
): GrpcChannel {
  const service = {
    name: 'google.firestore.v1.Firestore',
    address: 'firestore.googleapis.com:443',
    scope: 'https://www.googleapis.com/auth/datastore',
    emulator: emulators.firestore,
    headers: {
      'google-cloud-resource-prefix': `projects/${projectId}/databases/${databaseId}`,
      ...(emulators.firestore !== undefined && EMULATOR_HEADERS),
    },
    options: OPTIONS,
  };
  return new GrpcChannel(service, clock);
}
