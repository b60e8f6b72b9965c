import type { Demo } from '../context';
import type { RouteName } from '../routes';
import { describeRoute, ROUTES } from '../routes';

/** All routes, with what was asked of them; each must have succeeded at least once. */
export function listRoutes({ report, client }: Demo): void {
  report.chapter('Routes', 'All of them, with the answers that they gave; times as the client saw them.');
  report.table(
    ['accepted', 'refused', 'median ms', 'slowest ms', 'route'],
    (Object.keys(ROUTES) as RouteName[]).map((name) => {
      const { accepted, refused, milliseconds } = client.uses.get(name) ?? {
        accepted: 0,
        refused: 0,
        milliseconds: [],
      };
      const sorted = milliseconds.toSorted((a, b) => a - b).map(Math.round);
      return {
        cells: [accepted, refused, sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0, describeRoute(name)],
        problems: accepted > 0 ? [] : ['the route has accepted nothing'],
      };
    }),
  );
}
