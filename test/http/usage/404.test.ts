import { describeNotFound } from '../suites/not-found';

describeNotFound('usage', (tenantId) => [`/${tenantId}/keys`, `/${tenantId}/2026-03-01/hours`]);
