import * as fc from 'fast-check';
import {
  decodeCount,
  decodeFound,
  decodeIncremented,
  decodeStatuses,
} from '../../../../shared/adapters/firestore/grpc/responses';
import { ResourceNames } from '../../../../shared/adapters/firestore/resource-names';

const names = new ResourceNames({ projectId: 'p', databaseId: 'd' });

describe('an answer of any bytes', () => {
  it('is read to its end or refused', () => {
    const decoders = [(bytes: Buffer) => decodeFound(names, bytes), decodeStatuses, decodeIncremented, decodeCount];
    const bytes = fc.uint8Array({ maxLength: 200 });
    // Tags of messages lead deeper than chance does.
    const nested = fc.array(fc.constantFrom(0x0a, 0x12, 0x32, 0x4a, 0x52, 0x8a, 1, 2, 4, 8, 127), { maxLength: 60 });
    fc.assert(
      fc.property(fc.oneof(bytes, nested), (each) => {
        for (const decode of decoders) {
          try {
            decode(Buffer.from(each));
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
