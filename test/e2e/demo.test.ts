import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

interface Run {
  readonly output: string;
  readonly errors: string;
  readonly exitCode: number | null;
  /** True when the command and all that it started have ended, the emulators' JVMs too. */
  readonly isGone: boolean;
}

/** Runs `npm run --silent demo` in a process group of its own; `onOutput` gets all that it has printed so far. */
async function runDemo(
  env: NodeJS.ProcessEnv = {},
  onOutput: (output: string, groupId: number) => void = () => undefined,
): Promise<Run> {
  const child = spawn('npm', ['run', '--silent', 'demo'], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const groupId = child.pid ?? 0;
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    onOutput(output, groupId);
  });
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exitCode = await new Promise<number | null>((ended) => child.once('close', ended));
  return { output, errors, exitCode, isGone: await endsSoon(groupId) };
}

/** Processes of an interrupted group end one after the other. */
async function endsSoon(groupId: number): Promise<boolean> {
  for (let attempt = 0; attempt < 50; attempt++) {
    if (!groupExists(groupId)) return true;
    await new Promise((wait) => setTimeout(wait, 100));
  }
  return false;
}

function groupExists(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
    return true;
  } catch {
    return false;
  }
}

describe('npm run demo', () => {
  it('stores the sample shop as expected through all routes and from files, says so, and leaves no process behind', async () => {
    const { output, errors, exitCode, isGone } = await runDemo();

    expect(output.split('\n').filter((line) => line.includes('✗'))).toEqual([]);
    expect(errors).toBe('');
    expect(output.trimEnd().split('\n').at(-1)).toMatch(
      /^✓ Demo passed: \d+ checks\. 29 routes, \d+ requests, \d+ stored records compared, [\d.]+ s in all\.$/,
    );
    expect(output).toMatch(/^ {2}✓ +4 +3 +1 +0 +\d+ +\d+ +4 +2 +0 {2}partial$/m);
    expect(output).toMatch(/^ {2}✓ +5 +2 +3 +0 +\d+ +\d+ +0 +0 +0 {2}succeeded$/m);
    expect(output).not.toContain('\u001b');
    expect(exitCode).toBe(0);
    expect(isGone).toBe(true);
  });

  it('stops the whole stack when it is interrupted', async () => {
    let isInterrupted = false;
    const { output, isGone } = await runDemo({}, (printed, groupId) => {
      if (isInterrupted || !printed.includes('Tenants')) return;
      isInterrupted = true;
      process.kill(-groupId, 'SIGINT'); // as a terminal does for Ctrl-C
    });

    expect(isInterrupted).toBe(true);
    expect(output).not.toContain('Demo passed');
    expect(isGone).toBe(true);
  });

  it('ends with one sentence and exit code 1 when an emulator is missing', async () => {
    const { output, errors, exitCode, isGone } = await runDemo({ PUBSUB_EMULATOR_JAR: '/no/such/emulator.jar' });

    expect(output).toBe('');
    expect(errors).toMatch(/^PUBSUB_EMULATOR_JAR names \/no\/such\/emulator\.jar, which does not exist: [^\n]+\n$/);
    expect(exitCode).toBe(1);
    expect(isGone).toBe(true);
  });
});
