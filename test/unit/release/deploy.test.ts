/** `npm run deploy` and `npm run release`, as people and workflows run them, with stand-ins for other programs. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StandIns } from './stand-ins';

let world: StandIns;
beforeEach(() => (world = new StandIns()));
afterEach(() => rmSync(world.folder, { recursive: true }));

/** `npm run deploy -- apply` to prod; `v1.1.0` is at hand for the way back. */
function apply(release: string, ...more: readonly string[]) {
  const config = world.configure('config', 'prod');
  return world.run('deploy', 'apply', '--environment', 'prod', '--config', config, '--release', release, ...more);
}

/** As the environment is after `v1.1.0` was deployed to it. */
function deployBefore(): string {
  const release = world.release('v1.1.0');
  expect(apply(release).code).toBe(0);
  rmSync(join(world.folder, 'calls'));
  return release;
}

it('deploys the artifacts and the Terraform code of a release to an environment, and runs the smoke test', () => {
  const { code, stdout } = apply(world.release('v1.2.0'));
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'v1.2.0 is on prod, and passes the smoke test.\n' });
  expect(world.calls('terraform')).toEqual([
    'terraform init -input=false -lockfile=readonly -backend-config=prefix=prod',
    'terraform output -json',
    'terraform apply -input=false -auto-approve -var-file=prod.tfvars',
    'terraform output -json',
  ]);
  expect(world.read('deployed/customers.zip')).toBe('customers of v1.2.0');
  expect(world.read('deployed/main.tf')).toBe('# code of v1.2.0');
  expect(world.read('deployed/prod.tfvars')).toBe('environment = "prod"');
  expect(world.calls('npm')).toEqual([
    'npm run --silent smoke -- --base-url https://ingest.example.com --project acme-prod',
  ]);
  expect(world.calls('FIRESTORE')).toEqual(['FIRESTORE_DATABASE=restored']);
  expect(world.leftovers()).toEqual([]);
});

it('tells Terraform the release and the checksum of each artifact, so that it refuses others itself (R-384)', () => {
  apply(world.release('v1.2.0'));
  const told = JSON.parse(world.read('deployed/release.auto.tfvars.json')) as Record<string, unknown>;
  const sums = Object.fromEntries(
    ['customers', 'deletion-consumer'].map((name) => [
      name,
      expect.stringMatching(
        world
          .read('v1.2.0/SHA256SUMS')
          .split('\n')
          .find((line) => line.endsWith(`${name}.zip`))!
          .slice(0, 64),
      ),
    ]),
  );
  expect(told).toEqual({ release: 'v1.2.0', artifact_checksums: sums });
});

it.each([
  ['an artifact that was changed', 'customers.zip', 'x', 'customers.zip was changed'],
  ['Terraform code that was changed', 'terraform.zip', 'x', 'terraform.zip was changed'],
  ['a file that is not of it', 'orders.zip', 'x', 'orders.zip is not of this release'],
  ['a file that is missing', 'release.json', null, 'release.json is missing'],
  ['no checksums', 'SHA256SUMS', null, 'It has no SHA256SUMS'],
])('refuses a release with %s before anything is run (R-384)', (_, file, content, problem) => {
  const release = world.release('v1.2.0');
  if (content === null) rmSync(join(release, file));
  else writeFileSync(join(release, file), content);
  const { code, stderr } = apply(release);
  expect({ code, isTold: stderr.includes(problem) }).toEqual({ code: 1, isTold: true });
  expect(world.read('calls')).toBe('');
  expect(world.run('release', 'verify', release).stderr).toContain(problem);
});

it.each(['smoke', 'apply'])('rolls back to the release before where the %s fails, and fails (R-385)', (step) => {
  const before = deployBefore();
  world.write(`${step}-fails-v1.2.0`, '');
  const { code, stderr } = apply(world.release('v1.2.0'), '--previous', before);
  expect(code).toBe(1);
  expect(stderr).toContain('Rolled back to v1.1.0, which passes the smoke test.');
  expect(world.read('deployed/customers.zip')).toBe('customers of v1.1.0');
  expect(world.read('deployed/main.tf')).toBe('# code of v1.1.0');
  expect(world.read('outputs.json')).toContain('v1.1.0');
  expect(world.leftovers()).toEqual([]);
});

it('says that the roll-back failed, too (R-385)', () => {
  const before = deployBefore();
  world.write('smoke-fails-v1.2.0', '');
  world.write('apply-fails-v1.1.0', '');
  const { code, stderr } = apply(world.release('v1.2.0'), '--previous', before);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /v1\.2\.0 on prod: `env .*smoke.* failed with 1\.\nThe roll-back to v1\.1\.0 failed, too: `terraform apply/,
  );
});

it('changes nothing while the release to go back to is not at hand (R-385)', () => {
  deployBefore();
  const other = apply(world.release('v1.2.0'), '--previous', world.release('v1.0.0'));
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('v1.1.0 is deployed') as string });
  const notKept = apply(world.release('v1.2.0'));
  expect(notKept).toMatchObject({ code: 1, stderr: expect.stringContaining('`gh release download v1.1.0') as string });
  expect(world.calls('terraform apply')).toEqual([]);
});

it('rolls nothing back in an environment that had no release, or this one (R-385)', () => {
  world.write('smoke-fails-v1.2.0', '');
  const release = world.release('v1.2.0');
  expect(apply(release)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nothing was rolled back: no release was deployed before.') as string,
  });
  expect(apply(release)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nothing was rolled back: it was deployed before.') as string,
  });
});

it('plans without a lock of the state, and prints what would change', () => {
  world.write(
    'plan.json',
    JSON.stringify({
      resource_changes: [
        { address: 'a.b', change: { actions: ['delete'], before: {}, after: null, after_unknown: {} } },
      ],
    }),
  );
  const config = world.configure('config', 'prod');
  const args = ['--environment', 'prod', '--config', config, '--release', world.release('v1.2.0')];
  const { code, stdout } = world.run('deploy', 'plan', ...args);
  expect({ code, isTold: stdout.includes('| delete | `a.b` |') }).toEqual({ code: 0, isTold: true });
  expect(world.calls('terraform')[1]).toBe('terraform plan -input=false -lock=false -var-file=prod.tfvars -out=plan');
  expect(world.calls('gh')).toEqual([]);
});

it('names the files that a configuration lacks', () => {
  const args = ['--environment', 'prod', '--config', world.folder, '--release', world.release('v1.2.0')];
  const { code, stderr } = world.run('deploy', 'plan', ...args);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `${world.folder} lacks backend.tf, prod.tfvars, .terraform.lock.hcl.\n`,
  });
});

it('fetches a release only with the provenance of the workflow, and under its own name (R-384)', () => {
  world.release('v1.2.0', 'kept/v1.2.0');
  world.release('v1.1.0', 'kept/v1.3.0');
  const fetch = (tag: string) => world.run('release', 'fetch', tag, '--out', join(world.folder, 'fetched'));
  expect(fetch('v1.2.0').code).toBe(0);
  expect(world.calls('gh attestation')).toEqual([
    `gh attestation verify ${join(world.folder, 'fetched/SHA256SUMS')} --repo acme/ingestion --signer-workflow acme/ingestion/.github/workflows/release.yml`,
  ]);
  expect(fetch('v1.3.0')).toMatchObject({ code: 1, stderr: 'What is kept as v1.3.0 says that it is v1.1.0.\n' });
  world.write('forged', '');
  expect(fetch('v1.2.0')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('gh attestation verify') as string,
  });
});
