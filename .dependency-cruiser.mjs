/** The rooms of shared/, from the lowest to the highest. */
const ROOMS = [
  'domain',
  'limits',
  'platform',
  'documents',
  'validation',
  'events',
  'audit',
  'http',
  'auth',
  'usage',
  'workspace',
  'deletions',
  'records',
  'files',
  'transfers/[^/]+[.]ts',
  'transfers/runs',
  'transfers/reading',
  'endpoint',
  'operations',
];

const roomsPointDown = ROOMS.slice(0, -1).map((room, index) => ({
  name: `${room}-knows-no-room-above`,
  comment: 'Who reads a room need not know those above it, and what they need is found below.',
  severity: 'error',
  from: { path: `^shared/${room}` },
  to: { path: [...ROOMS.slice(index + 1), 'adapters'].map((above) => `^shared/${above}`) },
}));

/** Each rule carries the reason for it. */
export default {
  forbidden: [
    ...roomsPointDown,
    {
      name: 'adapters-implement-interfaces',
      comment: 'An adapter knows the interface that it implements and the rooms below it, and no use case.',
      severity: 'error',
      from: { path: '^shared/adapters' },
      to: {
        path: '^shared/(http|auth|usage|workspace|deletions|records|files|transfers/(runs|reading)|endpoint|operations)/',
      },
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain is tested without I/O and runs the same in a request, a file row and a property test.',
      severity: 'error',
      from: { path: '^shared/domain' },
      to: { pathNot: ['^shared/domain', '^(node:)?crypto$', 'node_modules/json-schema-to-ts'] }, // that one: types only
    },
    {
      name: 'sdks-only-in-adapters',
      comment: 'One place knows a vendor API, so that it can be replaced, timed and faked in one place.',
      severity: 'error',
      from: { pathNot: ['^shared/adapters', '^test'] },
      to: {
        path: 'node_modules/(@google-cloud/(firestore|pubsub|scheduler|storage)|google-gax|google-auth-library|@grpc)',
      },
    },
    {
      name: 'functions-are-independent',
      comment: 'Each function is deployed alone; what two of them need belongs to shared/.',
      severity: 'error',
      from: { path: '^functions/([^/]+)/', pathNot: '^functions/(openapi|console|admin/(console|doctor)|release)/' },
      to: {
        path: '^functions/',
        pathNot: ['^functions/$1/', '^functions/(docs|console)/site/make-assets[.]ts$', '^functions/build/browser/'],
      },
    },
    {
      name: 'doctor-builds',
      comment: 'It builds what this checkout would deploy, and compares; no other command builds.',
      severity: 'error',
      from: { path: '^functions/admin/doctor/' },
      to: {
        path: '^functions/',
        pathNot: [
          '^functions/admin/(doctor/|(credentials|printing|progress|terminal-json)[.]ts$)',
          '^functions/build/(artifact|deployed-functions)[.]ts$',
        ],
      },
    },
    {
      name: 'releases-are-of-artifacts',
      comment: 'A release packs what the builds make, and knows nothing of what is in it.',
      severity: 'error',
      from: { path: '^functions/release/' },
      to: {
        pathNot: ['^functions/(release|build)/', '^client/build/build[.]ts$', 'node_modules/(commander|fflate)/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'console-has-the-api',
      comment: 'The console serves the routes of the API as they are, and nothing else of another function.',
      severity: 'error',
      from: { path: '^functions/console/' },
      to: { path: '^functions/', pathNot: '^functions/(console/|[^/]+/endpoint[.]ts$|build/browser/)' },
    },
    {
      name: 'operators-console-is-the-console',
      comment:
        'Operators have the tenants’ pages and routes, and a door of their own, which no deployed function knows.',
      severity: 'error',
      from: { path: '^functions/admin/console/' },
      to: { path: '^functions/', pathNot: ['^functions/(admin/(console/|connection[.]ts$)|console/)'] },
    },
    {
      name: 'site-is-built',
      comment: 'A function serves what was made for browsers; what makes it is not deployed.',
      severity: 'error',
      from: { pathNot: '^(functions/(build/|docs/(site/|assets[.]ts$)|console/(site/|app/|assets[.]ts$))|test/)' },
      to: { path: '^functions/(docs/site|console/(site|app))/' },
    },
    {
      name: 'openapi-looks-at-routes',
      comment: 'The document says what routes are, and not how a function is started or a use case is run.',
      severity: 'error',
      from: { path: '^functions/openapi/' },
      to: { path: '^functions/', pathNot: '^functions/(openapi/|[^/]+/(endpoint[.]ts$|description/))' },
    },
    {
      name: 'descriptions-are-not-deployed',
      comment: 'No function that is deployed loads what only the document says: its start would take longer.',
      severity: 'error',
      from: {
        path: '^(functions|shared)/',
        pathNot: '^(functions/(openapi|docs/site)/|(functions/[^/]+|shared/endpoint)/description/)',
      },
      to: { path: '^(functions/openapi/|(functions/[^/]+|shared/endpoint)/description/)' },
    },
    {
      name: 'shared-knows-no-function',
      comment: 'A library that knows its callers cannot be used by the next one.',
      severity: 'error',
      from: { path: '^shared' },
      to: { path: '^functions' },
    },
    {
      name: 'production-knows-no-test',
      comment: 'Test code is not deployed.',
      severity: 'error',
      from: { path: '^(functions|shared)' },
      to: { path: '^test' },
    },
    {
      name: 'production-uses-runtime-dependencies',
      comment: 'A deployed function has no development dependencies; what makes its files is not deployed.',
      severity: 'error',
      from: { path: '^(functions|shared)', pathNot: '^functions/(build|release|docs/site|console/(site|app))/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'The client is installed where nothing else of this project is. Only its build looks around.',
      severity: 'error',
      from: { path: '^client/src/', pathNot: '^client/src/command/' },
      to: { pathNot: '^client/src/' },
    },
    {
      name: 'library-knows-no-command',
      comment: 'The library runs in browsers, and the command on Node.js.',
      severity: 'error',
      from: { path: '^client/src/', pathNot: '^client/src/command/' },
      to: { path: '^client/src/command/' },
    },
    {
      name: 'command-bundles-decoders',
      comment:
        'The command reads files as transfers do. Of the service it needs these rooms, and nothing that runs there.',
      severity: 'error',
      from: { path: '^client/src/command/' },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: [
          '^client/(src/|package[.]json$)',
          '^shared/(domain|limits|platform|files)/',
          '^shared/validation/(values|validation-failed)[.]ts$',
          'node_modules/commander/',
        ],
      },
    },
    {
      name: 'service-knows-no-client',
      comment: 'The service is defined by its document. The client follows from that, and not the other way round.',
      severity: 'error',
      from: { path: '^(functions|shared)/', pathNot: '^functions/(console/app|release)/' },
      to: { path: '^client/' },
    },
    {
      name: 'pages-are-a-client',
      comment:
        'The pages of the console run in a browser. They call the API by its client and read files as the command does; of the service they know nothing else.',
      severity: 'error',
      from: { path: '^functions/console/app/' },
      to: {
        pathNot: [
          '^functions/console/(app/|pages[.]ts$)',
          '^client/src/',
          '^shared/(domain|files)/',
          '^shared/platform/clock[.]ts$',
          'node_modules/preact/',
        ],
      },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one idea in two places.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports is dead, but those that Jest loads by their names.',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.test\\.ts$', '\\.d\\.ts$', '^test/mutants/'] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^client/dist/' }, // it is made from client/src
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
