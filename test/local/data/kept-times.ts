import { RECORD_KINDS } from '../../../shared/domain/identity';
import type { ProtoFields, ProtoTimestamp } from '../../../shared/adapters/firestore/sdk/protocol';

/**
 * The fields of a document that is copied, with the time of its last write where the service takes that from the
 * document itself. A copy is written later, so records would seem newer than they are, and deletions, too.
 *
 * - A record that was true when it was written says since when, as one from a file does.
 * - A pending deletion says when it was accepted, as one does that was set aside.
 */
export function withKeptTimes(path: string, fields: ProtoFields, writtenAt: ProtoTimestamp): ProtoFields {
  const [root, , collection = '', ...below] = path.split('/');
  if (root !== 'tenants' || below.length !== 1) return fields;
  const { revision } = fields;
  const time = { timestampValue: toMilliseconds(writtenAt) };
  if (RECORD_KINDS.some((kind) => kind === collection) && typeof revision?.stringValue === 'string') {
    return { ...fields, revision: { mapValue: { fields: { id: revision, asOf: time } } } };
  }
  if (collection === 'deletions') return { acceptedAt: time, ...fields };
  if (collection === 'wideDeletions') return { acceptedAt: time, acceptedVersion: toVersion(writtenAt), ...fields };
  return fields;
}

/** The service knows times to the millisecond. */
function toMilliseconds({ seconds, nanos }: ProtoTimestamp): ProtoTimestamp {
  return { seconds: seconds ?? 0, nanos: Math.floor((nanos ?? 0) / 1_000_000) * 1_000_000 };
}

function toVersion({ seconds, nanos }: ProtoTimestamp) {
  return { mapValue: { fields: { seconds: { integerValue: seconds ?? 0 }, nanos: { integerValue: nanos ?? 0 } } } };
}
