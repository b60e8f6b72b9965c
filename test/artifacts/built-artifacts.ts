/** `npm run build` as a person or a pipeline runs it, into a folder of its own. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const PROJECT = resolve(__dirname, '../..');

/** The functions that the service consists of. */
export const FUNCTIONS = [
  'console',
  'customers',
  'deletion-consumer',
  'docs',
  'ingestion',
  'orders',
  'products',
  'transfer-runner',
  'upload-consumer',
  'usage',
];

/** A new folder outside the project, which the test removes; its path has no links. */
export function temporaryFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'artifacts-test-')));
}

/** A copy of the sources in another folder, with the installed packages linked. */
export function checkOut(project: string): string {
  mkdirSync(project);
  for (const part of [
    'client',
    'functions',
    'shared',
    'terraform',
    'openapi.json',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ]) {
    cpSync(join(PROJECT, part), join(project, part), { recursive: true });
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(project, 'node_modules'));
  return project;
}

export interface BuildRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Builds all functions of a project's folder. */
export function runBuild(out: string, project = PROJECT, env: NodeJS.ProcessEnv = {}): BuildRun {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build', '--', '--out', out], {
    cwd: project,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

/** As `runBuild`. @throws Error with the program's messages when it fails. */
export function build(out: string, project?: string, env?: NodeJS.ProcessEnv): string {
  const { code, stdout, stderr } = runBuild(out, project, env);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

export function readJson<T>(...path: readonly string[]): T {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as T;
}
