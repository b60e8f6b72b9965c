/** The variables, the output and the exit codes of the command. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APPLY, JOBS, PUSH, aFunction, answer, google, run, useProject } from './examined-project';
import { PROJECT, REGION } from './healthy-project';

useProject();

describe('variables (R-392)', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const file = (text: string) => {
    const path = join(folder, 'prod.tfvars');
    writeFileSync(path, text);
    return path;
  };

  it('expects what Terraform would make with the variables of a file', async () => {
    const path = file(`project_id = "${PROJECT}"\nfunctions = {\n  usage = { max_instances = 7 } # more\n}\n`);
    const { stdout } = await run(['--project', PROJECT, '--var-file', path]);
    expect(stdout).toContain(
      `  wrong    The function usage has max_instances 2, and should have 7.\n           → cd terraform && terraform apply -var-file=${path}; to keep it instead, where it can be chosen: the variable functions.usage\n`,
    );
  });

  it('counts the jobs of all regions, so that a full one is no fault while others have room', async () => {
    answer(JOBS).jobs = Array.from({ length: 5_000 }, (_, index) => ({ name: `${index}` }));
    google.answers.set(JOBS.replace(REGION, 'europe-west3'), { jobs: [{ name: 'one' }] });
    const { stdout } = await run([
      '--project',
      PROJECT,
      '--var-file',
      file(`scheduler_locations = ["${REGION}", "europe-west3"]`),
    ]);
    expect(stdout).toContain(
      `  ok       Cloud Scheduler jobs: ${REGION} has 5000 of 5000, europe-west3 has 1 of 5000.`,
    );
  });

  it('refuses the variables of another project', async () => {
    const { code, stderr } = await run(['--project', PROJECT, '--var-file', file('project_id = "another-project"')]);
    expect(stderr).toBe(
      `The command failed: --var-file is of the project another-project, and --project of ${PROJECT}.\n`,
    );
    expect(code).toBe(2);
  });
});

it('says once what mends several things in a row (R-392)', async () => {
  Object.assign(answer(PUSH), { ackDeadlineSeconds: 10, filter: 'attributes:urgent' });
  const { stdout } = await run(['--project', PROJECT]);
  expect(stdout).toContain(
    [
      '  wrong    The subscription deletion-consumer has ack_deadline_seconds 10, and should have 120.',
      '  wrong    The subscription deletion-consumer has filter attributes:urgent, and should have none.',
      `           → ${APPLY}`,
      'jobs',
    ].join('\n'),
  );
});

it('takes no colours to a pipe, and no characters that a terminal obeys to any place (R-392)', async () => {
  Object.assign(aFunction('orders'), { state: 'FAILED', stateMessages: [{ message: 'a\u001b[31mb' }] });
  const [piped, shown] = [await run(['--project', PROJECT]), await run(['--project', PROJECT], { isTTY: true })];
  expect(piped.stdout).not.toContain('\u001b');
  expect(piped.stdout).toContain('  wrong    The function orders is FAILED: a\\u001b[31mb\n           → cd terraform');
  expect(shown.stdout).toContain('\u001b[31mwrong  \u001b[0m  The function orders is FAILED: a\\u001b[31mb');
  expect(piped.stderr).toBe('Looking at the project …\n');
});

it.each([[[]], [['--project']], [['--project', PROJECT, '--repair']]])(
  'ends with 2 for a command that it does not understand: %j (R-392)',
  async (args) => {
    const { code, stderr } = await run(args);
    expect({ code, requests: google.requests }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toContain('--help');
  },
);

it.each(['Could not load the default credentials.', 'invalid_grant'])(
  'says where credentials come from: %s (R-392)',
  async (message) => {
    const access = { ...google.access(), headers: () => Promise.reject(new Error(message)) };
    const { code, stderr } = await run(['--project', PROJECT], { access });
    expect(stderr).toContain('gcloud auth application-default login');
    expect({ code, requests: google.requests }).toEqual({ code: 2, requests: 0 });
  },
);

it('tells its exit codes (R-392)', async () => {
  const { code, stdout } = await run(['--help']);
  expect(stdout).toContain('Exit codes: 0 all is well; 1 something is wrong; 2 ');
  expect(code).toBe(0);
});
