import type { CallerRoute } from '../../../shared/endpoint/route';
import { readChoice, readTime } from '../../../shared/http/list-page';
import { MAX_OVERVIEW_RUNS, MAX_SHOWN_DEAD_LETTERS } from '../../../shared/limits/console';
import { listDeadLetters, MAX_LISTED_DEAD_LETTERS } from '../../../shared/operations/dead-letters/dead-letters';
import { listWaitingDeletions } from '../../../shared/operations/deletions/waiting';
import type { Scope } from '../../../shared/operations/inputs';
import { findMarkedKeys } from '../../../shared/operations/keys/marked-keys';
import type { Operator } from '../../../shared/operations/operator';
import type { RunListOptions } from '../../../shared/operations/transfers/search-runs';
import { searchRuns } from '../../../shared/operations/transfers/search-runs';
import type { UsageOptions } from '../../../shared/operations/usage';
import { sumUsagePart } from '../../../shared/operations/usage';
import { RUN_STATUSES } from '../../../shared/transfers/runs/run';
import { managementRoute } from '../../console/management/management-route';
import { tenantIn } from './query';

type After = { readonly after: string | undefined };

/** What operators see of all tenants when they begin. Each is asked for by itself: none waits for another. */
export function overviewRoutes(operator: Operator): readonly CallerRoute<never>[] {
  return [
    runsRoute(operator),
    usageRoute(operator),
    deletionsRoute(operator),
    deadLettersRoute(operator),
    keysRoute(operator),
  ];
}

function runsRoute(operator: Operator): CallerRoute<never> {
  return managementRoute<RunListOptions>({
    operationId: 'findLastRuns',
    method: 'GET',
    path: '/overview/runs',
    query: ['status', 'since'],
    successMessage: 'Runs found.',
    failureMessage: 'Failed to find runs.',
    tenantFrom: 'caller',
    read: (request) => {
      const status = readChoice((name) => request.query(name), 'status', RUN_STATUSES);
      const since = readTime((name) => request.query(name, 'plus'), 'since');
      return { ...(status && { statuses: [status] }), ...(since && { since }), limit: MAX_OVERVIEW_RUNS };
    },
    run: async (options) => {
      const runs: unknown[] = [];
      for await (const run of searchRuns(options, operator)) runs.push(run);
      return { data: { runs } };
    },
  });
}

function usageRoute(operator: Operator): CallerRoute<never> {
  return managementRoute<UsageOptions & After>({
    operationId: 'sumUsage',
    method: 'GET',
    path: '/overview/usage',
    query: ['from', 'to', 'after'],
    successMessage: 'Usage found.',
    failureMessage: 'Failed to find usage.',
    tenantFrom: 'caller',
    read: (request) => {
      const time = (of: string) => readTime((name) => request.query(name, 'plus'), of);
      return { from: time('from'), to: time('to'), after: tenantIn(request, 'after') };
    },
    run: async (options) => ({ data: { ...(await sumUsagePart(options, operator)) } }),
  });
}

function deletionsRoute(operator: Operator): CallerRoute<never> {
  return managementRoute<Scope>({
    operationId: 'listWaitingDeletions',
    method: 'GET',
    path: '/overview/deletions',
    query: ['tenant'],
    successMessage: 'Deletions found.',
    failureMessage: 'Failed to find deletions.',
    tenantFrom: 'caller',
    read: (request) => {
      const tenant = tenantIn(request, 'tenant');
      return { ...(tenant && { tenant }) };
    },
    run: async (scope) => ({ data: { ...(await listWaitingDeletions(scope, operator)) } }),
  });
}

/** Pub/Sub cannot say how many there are: they are taken and given back. What they hold is for the command line. */
function deadLettersRoute(operator: Operator): CallerRoute<never> {
  return managementRoute<undefined>({
    operationId: 'countDeadLetters',
    method: 'GET',
    path: '/overview/dead-letters',
    successMessage: 'Dead letters found.',
    failureMessage: 'Failed to find dead letters.',
    tenantFrom: 'caller',
    read: () => undefined,
    run: async () => {
      const found = await listDeadLetters({ limit: MAX_LISTED_DEAD_LETTERS }, operator);
      const letters = found.slice(0, MAX_SHOWN_DEAD_LETTERS).map((letter) => {
        const { id, reason, attempts, publishedAt } = letter;
        return { id, function: letter.function, reason, attempts, publishedAt };
      });
      return { data: { count: found.length, isMore: found.length === MAX_LISTED_DEAD_LETTERS, letters } };
    },
  });
}

function keysRoute(operator: Operator): CallerRoute<never> {
  return managementRoute<undefined>({
    operationId: 'findMarkedKeys',
    method: 'GET',
    path: '/overview/keys',
    successMessage: 'Keys found.',
    failureMessage: 'Failed to find keys.',
    tenantFrom: 'caller',
    read: () => undefined,
    run: async () => ({ data: { ...(await findMarkedKeys(operator)) } }),
  });
}
