/**
 * The workflows of GitHub: that they are what GitHub takes (schemas of schemastore.org), that they run this project's
 * own commands and nothing else, and that each job may do no more than it needs.
 */
import Ajv from 'ajv';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { StandIns } from '../release/stand-ins';

const ROOT = join(__dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly uses?: string;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly permissions: object;
  readonly concurrency: { readonly group: string; readonly 'cancel-in-progress': boolean };
  readonly env?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FILES = readdirSync(join(ROOT, '.github/workflows')).map((name) => `.github/workflows/${name}`);
const ACTION = '.github/actions/deploy-tools/action.yml';
const workflows = Object.fromEntries(FILES.map((file) => [file, parse(read(file)) as Workflow]));
const { check, release, deploy } = Object.fromEntries(
  Object.entries(workflows).map(([file, workflow]) => [/(\w+)\.yml$/.exec(file)?.[1], workflow]),
) as Record<'check' | 'release' | 'deploy', Workflow>;
const jobs = Object.entries(workflows).flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ name: `${file}: ${name}`, job })),
);
const action = parse(read(ACTION)) as { readonly runs: { readonly steps: readonly Step[] } };
const steps = [...jobs.flatMap(({ job }) => job.steps ?? []), ...action.runs.steps];
const lines = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** The npm scripts that a text runs. */
const scriptsIn = (text: string) =>
  [...text.matchAll(/npm (?:run (?:--silent )?([\w:-]+)|(test|ci))\b/g)].map(
    ([, script, command]) => script ?? command ?? '',
  );

it.each([...FILES, ACTION])('%s is what GitHub takes', (file) => {
  const schema = file === ACTION ? 'github-action.json' : 'github-workflow.json';
  const ajv = new Ajv({ strict: false, allErrors: true });
  const isValid = ajv.compile(JSON.parse(readFileSync(join(__dirname, 'schema', schema), 'utf8')) as object);
  isValid(parse(read(file)));
  expect(isValid.errors).toBeNull();
  expect(isValid({ ...(parse(read(file)) as object), jobs: [], runs: {} })).toBe(false);
});

it('runs npm alone, and scripts that exist; nothing is put into a command but variables (R-386)', () => {
  expect(lines.length).toBeGreaterThan(15);
  expect(
    lines.filter((line) => !/^npm (run [\w:-]+( -- [\w "$-]+)?|ci( --ignore-scripts)?|ci && npm test)$/.test(line)),
  ).toEqual([]);
  const unknown = lines.flatMap(scriptsIn).filter((script) => script !== 'ci' && !(script in scripts));
  expect(unknown).toEqual([]);
});

it('checks on each change what .ci/run checks (R-386)', () => {
  const checked = Object.values(check.jobs).flatMap(({ steps: own = [] }) =>
    own.flatMap(({ run = '' }) => scriptsIn(run)),
  );
  expect([...new Set(checked)].sort()).toEqual([...new Set(scriptsIn(read('.ci/run')))].sort());
  expect(read('README.md')).toContain('```sh\nnpm ci && npm test\n```');
  expect(lines).toContain('npm ci && npm test');
});

it('pins each action by a commit, with its version beside it, and each to one version (R-386)', () => {
  const text = [...FILES, ACTION].map(read).join('\n');
  const used = [...text.matchAll(/uses: (.*)/g)].map(([, use = '']) => use).filter((use) => !use.startsWith('./'));
  expect(used.length).toBeGreaterThan(15);
  expect(used.filter((use) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use))).toEqual([]);
  const pins = new Set(used);
  expect(new Set([...pins].map((use) => use.split('@')[0])).size).toBe(pins.size);
});

it('gives each job the permissions that it needs, and none to a workflow (R-386)', () => {
  expect(Object.values(workflows).map(({ permissions }) => permissions)).toEqual(FILES.map(() => ({})));
  const reading = { contents: 'read' };
  const deploying = { contents: 'read', 'id-token': 'write', attestations: 'read' };
  expect(Object.fromEntries(jobs.map(({ name, job }) => [name, job.permissions]))).toEqual({
    '.github/workflows/check.yml: browser': reading,
    '.github/workflows/check.yml: code': reading,
    '.github/workflows/check.yml: system': reading,
    '.github/workflows/check.yml: terraform': reading,
    '.github/workflows/check.yml: tests': reading,
    '.github/workflows/deploy.yml: plan': deploying,
    '.github/workflows/deploy.yml: prod': deploying,
    '.github/workflows/deploy.yml: staging': deploying,
    '.github/workflows/release.yml: build': reading,
    '.github/workflows/release.yml: check': reading,
    '.github/workflows/release.yml: deploy': deploying,
    '.github/workflows/release.yml: keep': { contents: 'write', 'id-token': 'write', attestations: 'write' },
  });
});

it('signs and publishes in a job that runs no package (R-384)', () => {
  const commands = (release.jobs.keep?.steps ?? []).flatMap(({ run }) => (run === undefined ? [] : [run]));
  expect(commands).toEqual(['npm run release:publish']);
  expect(scripts['release:publish']).toMatch(
    /^cd dist\/release && gh release create \S+ \* --verify-tag --generate-notes$/,
  );
  expect(JSON.stringify(release.jobs.keep)).toContain('"subject-path":"dist/release/*"');
});

it('leaves no token where the packages of a job could read it', () => {
  const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
  expect(checkouts.length).toBeGreaterThan(5);
  for (const checkout of checkouts) expect(checkout.with).toEqual({ 'persist-credentials': false });
  for (const { job } of jobs) expect(job).not.toHaveProperty('env');
});

it('knows no secret and no key file, and only the variables that docs/releasing.md names (R-386)', () => {
  const text = [...FILES, ACTION].map(read).join('\n');
  expect(text).not.toMatch(/secrets[.:[]|credentials_json/);
  const variables = [...new Set([...text.matchAll(/vars\.(\w+)/g)].map(([, name = '']) => name))];
  const documented = [...read('docs/releasing.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = '']) => name);
  expect(variables.sort()).toEqual(documented.sort());
});

it('ends every job in time, and lets no deployment be cancelled or overtaken', () => {
  for (const { job } of jobs) expect(job.steps === undefined || job['timeout-minutes'] !== undefined).toBe(true);
  for (const { concurrency } of Object.values(workflows)) expect(concurrency.group).not.toBe('');
  expect(deploy.concurrency).toEqual({ group: 'deploy', 'cancel-in-progress': false });
  expect(release.concurrency['cancel-in-progress']).toBe(false);
});

it('builds with the Node.js that runs the functions', () => {
  const [, runtime] = /default\s*= "nodejs(\d+)"/.exec(read('terraform/variables.tf')) ?? [];
  const versions = steps.flatMap(({ with: inputs }) => inputs?.['node-version'] ?? []);
  expect(new Set(versions)).toEqual(new Set([Number(runtime)]));
});

it('takes a release from its publication to prod by the commands of the workflows as they stand (R-384)', () => {
  expect(Object.entries(deploy.jobs).map(([name, { needs, environment }]) => ({ name, needs, environment }))).toEqual([
    { name: 'plan', needs: undefined, environment: '${{ matrix.environment }}-plan' },
    { name: 'staging', needs: 'plan', environment: 'staging' },
    { name: 'prod', needs: 'staging', environment: 'prod' },
  ]);
  const world = new StandIns();
  try {
    const project = world.project();
    const tag = `v${(JSON.parse(read('package.json')) as { version: string }).version}`;
    const built = world.release(tag, 'project/dist/release');
    /** Runs the commands of a job with the values that GitHub puts in. */
    const runJob = (workflow: Workflow, job: Job | undefined, environment: string) => {
      const values: Record<string, string> = {
        '${{ inputs.release }}': tag,
        '${{ vars.CONFIGURATION }}': `gs://configuration/${environment}`,
        '${{ matrix.environment }}': environment,
        '${{ github.token }}': 'token',
      };
      for (const { run, env } of job?.steps ?? []) {
        if (run === undefined) continue;
        const own = Object.entries({ ...workflow.env, ...env }).map(([name, value]) => [name, values[value]]);
        expect(world.runStep(run, project, Object.fromEntries(own) as NodeJS.ProcessEnv)).toMatchObject({ code: 0 });
      }
    };
    runJob(release, release.jobs.keep, '');
    rmSync(built, { recursive: true });
    for (const environment of ['staging', 'prod']) runJob(deploy, deploy.jobs.plan, environment);
    expect(world.calls('terraform apply')).toEqual([]);
    expect(world.read('comments')).toMatch(/Plan: v\S+ to staging[^]*Plan: v\S+ to prod/);
    for (const environment of ['staging', 'prod']) {
      runJob(deploy, deploy.jobs[environment], environment);
      expect(world.read('deployed/customers.zip')).toBe(`customers of ${tag}`);
      expect(world.read(`deployed/${environment}.tfvars`)).toBe(`environment = "${environment}"`);
      rmSync(join(world.folder, 'outputs.json'));
      world.write('outputs.json', '{}');
    }
    expect(world.calls('FIRESTORE')).toHaveLength(2);
  } finally {
    rmSync(world.folder, { recursive: true });
  }
});
