import { HttpProblem } from '../../../shared/http/problems';
import { matchRoute } from '../../../shared/endpoint/router';

const PRODUCTS = [
  { method: 'POST', path: '/:tenantId' },
  { method: 'DELETE', path: '/:tenantId/:productId' },
  { method: 'GET', path: '/:tenantId/:productId' },
  { method: 'DELETE', path: '/:tenantId/:productId/variants/:variantId' },
];
const ORDERS = [
  { method: 'POST', path: '/:tenantId' },
  { method: 'DELETE', path: '/:tenantId/:orderId' },
  { method: 'DELETE', path: '/:tenantId/:orderId/items' },
];
const INGESTION = [
  { method: 'POST', path: '/google-cloud-storage/register/daily-transfer' },
  { method: 'DELETE', path: '/google-cloud-storage/unregister' },
];

const problemOf = (find: () => unknown): HttpProblem => {
  try {
    find();
  } catch (error) {
    if (error instanceof HttpProblem) return error;
    throw error;
  }
  throw new Error('A route was found.');
};

describe('matchRoute', () => {
  it.each([
    [PRODUCTS, 'POST', ['t'], 0, { tenantId: 't' }],
    [PRODUCTS, 'DELETE', ['t', 'p'], 1, { tenantId: 't', productId: 'p' }],
    [PRODUCTS, 'GET', ['t', 'p'], 2, { tenantId: 't', productId: 'p' }],
    [PRODUCTS, 'DELETE', ['t', 'p', 'variants', 'v'], 3, { tenantId: 't', productId: 'p', variantId: 'v' }],
    [PRODUCTS, 'DELETE', ['t', '%2F', 'variants', '%'], 3, { tenantId: 't', productId: '%2F', variantId: '%' }],
    [PRODUCTS, 'DELETE', ['t', 'variants'], 1, { tenantId: 't', productId: 'variants' }],
    [ORDERS, 'DELETE', ['t', 'o'], 1, { tenantId: 't', orderId: 'o' }],
    [ORDERS, 'DELETE', ['t', 'o', 'items'], 2, { tenantId: 't', orderId: 'o' }],
    [INGESTION, 'POST', ['google-cloud-storage', 'register', 'daily-transfer'], 0, {}],
    [INGESTION, 'DELETE', ['google-cloud-storage', 'unregister'], 1, {}],
  ])('finds the route and its raw parameters (Spec §4.1): %j %s %j', (routes, method, segments, index, params) => {
    expect(matchRoute(routes, method, segments)).toStrictEqual({ route: routes[index], params });
  });

  it.each([
    [PRODUCTS, 'POST', [], 0, { tenantId: '' }],
    [PRODUCTS, 'DELETE', [], 1, { tenantId: '', productId: '' }],
    [PRODUCTS, 'DELETE', ['t'], 1, { tenantId: 't', productId: '' }],
    [PRODUCTS, 'GET', ['t'], 2, { tenantId: 't', productId: '' }],
    [PRODUCTS, 'DELETE', ['', 'p'], 1, { tenantId: '', productId: 'p' }],
    [PRODUCTS, 'DELETE', ['t', 'p', 'variants'], 3, { tenantId: 't', productId: 'p', variantId: '' }],
    [PRODUCTS, 'DELETE', ['t', '', 'variants', 'v'], 3, { tenantId: 't', productId: '', variantId: 'v' }],
    [PRODUCTS, 'DELETE', ['t', 'variants', 'v'], 3, { tenantId: 't', productId: '', variantId: 'v' }],
    [PRODUCTS, 'DELETE', ['t', 'variants', 'variants'], 3, { tenantId: 't', productId: 'variants', variantId: '' }],
    [ORDERS, 'DELETE', ['t', '', 'items'], 2, { tenantId: 't', orderId: '' }],
  ])(
    'leaves a missing id empty, so that its route can say which one (D-45): %j %s %j',
    (routes, method, segments, index, params) => {
      expect(matchRoute(routes, method, segments)).toStrictEqual({ route: routes[index], params });
    },
  );

  it.each([
    [PRODUCTS, 'DELETE', ['t', 'p', 'variant', 'v']],
    [PRODUCTS, 'DELETE', ['t', 'p', 'Variants', 'v']],
    [PRODUCTS, 'DELETE', ['t', 'p', 'variants', 'v', 'x']],
    [PRODUCTS, 'DELETE', ['t', 'variants', 'v', 'x']],
    [ORDERS, 'DELETE', ['t', 'o', 'items', 'i']],
    [INGESTION, 'POST', []],
    [INGESTION, 'POST', ['google-cloud-storage', 'register']],
    [INGESTION, 'POST', ['google-cloud-storage', 'register', 'weekly-transfer']],
    [INGESTION, 'POST', ['google-cloud-storage', 'register', 'daily%2Dtransfer']],
    [INGESTION, 'GET', ['__proto__']],
  ])('answers 404 for a path that no route has (D-34): %j %s %j', (routes, method, segments) => {
    const problem = problemOf(() => matchRoute(routes, method, segments));
    expect([problem.status, problem.message, problem.headers]).toStrictEqual([404, 'Not found.', {}]);
  });

  it.each([
    [PRODUCTS, 'HEAD', ['t'], 'GET, POST, DELETE'],
    [PRODUCTS, 'PUT', ['t', 'p'], 'GET, DELETE'],
    [PRODUCTS, 'POST', ['t', 'p'], 'GET, DELETE'],
    [PRODUCTS, 'post', ['t'], 'GET, POST, DELETE'],
    [PRODUCTS, 'OPTIONS', ['t', 'p', 'variants', 'v'], 'DELETE'],
    [PRODUCTS, 'POST', ['t', 'variants', 'v'], 'DELETE'],
    [ORDERS, 'HEAD', ['t', 'o', 'items'], 'DELETE'],
    [INGESTION, 'DELETE', ['google-cloud-storage', 'register', 'daily-transfer'], 'POST'],
    [INGESTION, 'POST', ['google-cloud-storage', 'unregister'], 'DELETE'],
    [INGESTION, '', ['google-cloud-storage', 'unregister'], 'DELETE'],
  ])('answers 405 with the methods that the path has (D-34): %j %s %j', (routes, method, segments, allow) => {
    const problem = problemOf(() => matchRoute(routes, method, segments));
    expect([problem.status, problem.message, problem.headers]).toStrictEqual([
      405,
      'Method not allowed.',
      { Allow: allow },
    ]);
  });
});
