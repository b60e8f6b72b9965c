import type { ApiClient, RouteUse } from '../api-client';
import type { Report, Row } from '../report';
import type { RouteName } from '../routes';
import { describeRoute, ROUTES, unknownOperations } from '../routes';

/** All routes of `openapi.json`, with what was asked of them; each must have succeeded at least once. */
export function listRoutes({ report, client }: { report: Report; client: Pick<ApiClient, 'uses'> }): void {
  const known = (Object.keys(ROUTES) as RouteName[]).map((name) => toRow(describeRoute(name), client.uses.get(name)));
  const unknown = unknownOperations().map((operation) => toRow(operation));
  report.chapter('Routes', 'All of them, with the answers that they gave; times as the client saw them.');
  report.table(['accepted', 'refused', 'median ms', 'slowest ms', 'route'], [...known, ...unknown]);
}

/** @param use undefined: nothing was asked of it */
function toRow(route: string, use?: RouteUse): Row {
  const { accepted, refused, milliseconds } = use ?? { accepted: 0, refused: 0, milliseconds: [] };
  const sorted = milliseconds.toSorted((a, b) => a - b).map(Math.round);
  return {
    cells: [accepted, refused, sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0, route],
    problems: accepted > 0 ? [] : ['the route has accepted nothing'],
  };
}
