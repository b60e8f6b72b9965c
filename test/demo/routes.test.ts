import { CONTRACT } from '../support/conformance/contract';
import { listRoutes } from './chapters/list-routes';
import type { RouteUse } from './api-client';
import type { Row } from './report';
import type { RouteName } from './routes';
import { ROUTES, unknownOperations } from './routes';

/** The rows that the last table of the story has, with the problems of each. */
function rowsFor(uses: ReadonlyMap<RouteName, RouteUse>): readonly Row[] {
  let told: readonly Row[] = [];
  const nothing = () => undefined;
  const report = { chapter: nothing, note: nothing, progress: nothing, table: (_: unknown, rows: readonly Row[]) => void (told = rows) }; // prettier-ignore
  listRoutes({ report, client: { uses: new Map(uses) } });
  return told;
}

it('has every operation of openapi.json among the routes of the story, and nothing else (R-387)', () => {
  expect(unknownOperations()).toEqual([]);
  expect(CONTRACT.operations).toHaveLength(Object.keys(ROUTES).length);
});

it('finds an operation that the story does not know (R-387)', () => {
  const planted = { ...CONTRACT.operations[0]!, method: 'PATCH', template: '/customers/{tenantId}/{customerId}' };
  const operations = [...CONTRACT.operations, planted];
  expect(unknownOperations({ operations })).toEqual(['PATCH /customers/{tenantId}/{customerId}']);
});

it('fails the route that has accepted nothing (R-387)', () => {
  const names = Object.keys(ROUTES) as RouteName[];
  const used = names.map((name): [RouteName, RouteUse] => [name, { accepted: 1, refused: 0, milliseconds: [3] }]);
  expect(rowsFor(new Map(used)).flatMap(({ problems = [] }) => problems)).toEqual([]);

  const refused = new Map(used).set('readUsage', { accepted: 0, refused: 2, milliseconds: [1, 2] });
  const failing = rowsFor(refused).filter(({ problems = [] }) => problems.length > 0);
  expect(failing).toEqual([
    { cells: [0, 2, 2, 2, 'GET /usage/<tenant>'], problems: ['the route has accepted nothing'] },
  ]);
});
