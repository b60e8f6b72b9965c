import { describeNotFound } from '../suites/not-found';

describeNotFound('customers', (tenantId) => [`/${tenantId}/C-1`, `/${tenantId}/C-1/emails`, `//${tenantId}`]);
