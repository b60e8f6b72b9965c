import { connectTransferScheduler } from '../../../../shared/adapters/scheduler/cloud-scheduler';
import { readConfig } from '../../../../shared/config';
import { recurringJobId } from '../../../../shared/domain/transfer';
import { systemClock } from '../../../../shared/platform/clock';
import { TENANT_ID } from '../../support/tenant';

/** The client tries again until its time is over. */
jest.mock<object>('../../../../shared/limits/platform', () => ({
  ...jest.requireActual<object>('../../../../shared/limits/platform'),
  CALL_TIMEOUT_MS: 300,
}));

it('a call fails when Cloud Scheduler is out of reach', async () => {
  const config = readConfig();
  const emulators = { ...config.emulators, scheduler: '127.0.0.1:1' };
  const lost = connectTransferScheduler({ ...config, emulators }, systemClock);
  await expect(lost.remove(recurringJobId('daily', TENANT_ID))).rejects.toThrow();
});
