import { customerLookups } from '../../../shared/domain/deletion';

const both = { customerId: '1', email: 'a@x.io' };
const byEmail = { by: 'email', value: 'a@x.io' };
const byId = { by: 'customerid', value: '1' };

describe('customerLookups', () => {
  it.each([
    ['email', both, [byEmail, byId]],
    ['customerid', both, [byId, byEmail]],
    ['email', { customerId: '1', email: null }, [byId]],
    ['customerid', { customerId: '1', email: null }, [byId]],
    ['email', { customerId: null, email: 'a@x.io' }, [byEmail]],
    ['customerid', { customerId: null, email: 'a@x.io' }, [byEmail]],
  ] as const)('under the priority %s tries %j in the order %j (D-43)', (priority, target, expected) => {
    expect(customerLookups(target, priority)).toStrictEqual(expected);
  });
});
