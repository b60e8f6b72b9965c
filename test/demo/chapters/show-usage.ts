import { NO_USAGE } from '../../../shared/domain/usage';
import { createKey } from '../../../shared/operations/keys';
import { listRuns } from '../../../shared/operations/transfers';
import type { ShownUsage } from '../../../shared/usage/usage-sum';
import { withExchange } from '../api-client';
import { differences } from '../compare';
import type { Demo } from '../context';
import { describeRoute } from '../routes';

/**
 * Reads the usage of the shop Aurora. The rows of its files are counted when a run ends, so they are known to the last
 * one; its requests may be on their way for half a minute.
 */
export async function showUsage({ client, operator, report, tenants: { aurora } }: Demo): Promise<void> {
  report.progress('Reading usage');
  const { key } = await createKey({ organization: aurora.organization, permissions: ['records'] }, operator);
  const answer = await client.send({ route: 'readUsage', params: { tenant: aurora.tenantId }, key });
  const { routes = [] } = (answer.body as { data?: Partial<ShownUsage> }).data ?? {};
  const runs = (await listRuns(aurora.tenantId, operator)).filter(({ jobId }) => !jobId.startsWith('preview-'));
  const sum = (of: 'stored' | 'invalid' | 'deleted') => runs.reduce((total, { rows }) => total + (rows?.[of] ?? 0), 0);
  const expected = { route: 'transfers', records: sum('stored'), rejected: sum('invalid'), deletions: sum('deleted') };
  const rows = routes.find(({ route }) => route === 'transfers');
  const { requests: _requests, errors: _errors, limited: _limited, ...found } = rows ?? NO_USAGE;
  report.chapter(
    'Usage',
    'What was counted of Aurora: its requests up to half a minute ago, and all rows of its files.',
  );
  report.table(
    ['requests', 'records', 'rejected', 'deletions', 'errors', 'route'],
    routes.map(({ route, requests, records, rejected, deletions, errors }) => {
      return { cells: [requests, records, rejected, deletions, errors, route] };
    }),
  );
  report.table(
    ['status', 'request'],
    [
      {
        cells: [answer.status, describeRoute('readUsage')],
        problems: withExchange(answer, [
          ...answer.problems,
          ...differences(200, answer.status, 'status'),
          ...differences(expected, found, 'transfers'),
        ]),
      },
    ],
  );
}
