/**
 * Stand-ins for the programs that deploying uses: terraform, gh, gcloud, and npm where it would run the smoke test.
 * They keep what is deployed, kept and called in a folder.
 */
import { buildSync } from 'esbuild';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Files } from '../../../functions/build/files';
import { zipFiles } from '../../../functions/build/zip';
import { CHECKSUMS, toChecksums } from '../../../functions/release/checksums';

const PROJECT = resolve(__dirname, '../../..');

/** An apply takes over the artifacts, and fails before it has outputs where a file `apply-fails-<release>` is there. */
const TERRAFORM = `
case "$1" in
  apply)
    release=$(sed -n 's/.*"release":"\\([^"]*\\)".*/\\1/p' release.auto.tfvars.json)
    rm -rf "$STAND_INS/deployed" && cp -r ../dist "$STAND_INS/deployed" && cp *.tf *.json *.tfvars "$STAND_INS/deployed"
    [ ! -e "$STAND_INS/apply-fails-$release" ] || exit 1
    printf '{"release":{"value":"%s"},"project_id":{"value":"acme-prod"},"base_url":{"value":"https://ingest.example.com"},"operator_environment":{"value":{"FIRESTORE_DATABASE":"restored"}}}' "$release" > "$STAND_INS/outputs.json" ;;
  show) cat "$STAND_INS/plan.json" ;;
  output) cat "$STAND_INS/outputs.json" ;;
esac`;

/** The smoke test fails where a file `smoke-fails-<release>` is there for the release that the outputs name. */
const NPM = `
case "$*" in
  *smoke*)
    echo "FIRESTORE_DATABASE=$FIRESTORE_DATABASE" >> "$STAND_INS/calls"
    release=$(sed 's/.*"release":{"value":"\\([^"]*\\)".*/\\1/' "$STAND_INS/outputs.json")
    [ ! -e "$STAND_INS/smoke-fails-$release" ] ;;
  *) exec "$REAL_NPM" "$@" ;;
esac`;

/** Releases are folders in `kept`. */
const GH = `
case "$1 $2" in
  'release create')
    mkdir -p "$STAND_INS/kept/$3" && for file; do [ ! -f "$file" ] || cp "$file" "$STAND_INS/kept/$3"; done ;;
  'release download') cp "$STAND_INS/kept/$3"/* "$5" ;;
  'repo view') echo acme/ingestion ;;
  'attestation verify') [ ! -e "$STAND_INS/forged" ] ;;
  api*) cat >> "$STAND_INS/comments" ;;
esac`;

/** Addresses of buckets are folders in `buckets`. */
const GCLOUD = `
shift 2
for last; do :; done
for address; do case "$address" in gs://*) cp "$STAND_INS/buckets/\${address#gs://}" "$last" ;; esac; done`;

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class StandIns {
  readonly folder = mkdtempSync(join(tmpdir(), 'deploy-test-'));
  private readonly environment: NodeJS.ProcessEnv;

  constructor() {
    const bin = join(this.folder, 'bin');
    mkdirSync(bin);
    mkdirSync(join(this.folder, 'tmp'));
    for (const [name, script] of Object.entries({ terraform: TERRAFORM, npm: NPM, gh: GH, gcloud: GCLOUD })) {
      const text = `#!/bin/sh\necho "${name} $*" >> "$STAND_INS/calls"\n${script}\n`;
      writeFileSync(join(bin, name), text, { mode: 0o755 });
    }
    this.environment = {
      ...process.env,
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      REAL_NPM: spawnSync('which', ['npm'], { encoding: 'utf8' }).stdout.trim(),
      STAND_INS: this.folder,
      TMPDIR: join(this.folder, 'tmp'),
    };
    this.write('outputs.json', '{}');
    this.write('plan.json', '{}');
    for (const environment of ['staging', 'prod']) this.configure(`buckets/configuration/${environment}`, environment);
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(join(this.folder, path, '..'), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  /** The text of a file; none is empty. */
  read(path: string): string {
    return existsSync(join(this.folder, path)) ? readFileSync(join(this.folder, path), 'utf8') : '';
  }

  /** Writes what is the operator's own of an environment into a folder. */
  configure(path: string, environment: string): string {
    this.write(`${path}/backend.tf`, 'terraform {}');
    this.write(`${path}/${environment}.tfvars`, `environment = "${environment}"`);
    this.write(`${path}/.terraform.lock.hcl`, '');
    return join(this.folder, path);
  }

  /** Writes a release of two functions, whose files tell its name. */
  release(name: string, path = name): string {
    const bytes = (text: string) => Buffer.from(text);
    const files: Files = {
      'customers.zip': bytes(`customers of ${name}`),
      'deletion-consumer.zip': bytes(`deletion-consumer of ${name}`),
      'terraform.zip': zipFiles({ 'main.tf': bytes(`# code of ${name}`), 'modules/function/main.tf': bytes('') }),
      'release.json': bytes(JSON.stringify({ release: name, commit: 'c0ffee', node: 'v24.0.0' })),
    };
    for (const [file, content] of Object.entries(files)) this.write(`${path}/${file}`, content);
    this.write(`${path}/${CHECKSUMS}`, toChecksums(files));
    return join(this.folder, path);
  }

  /** Runs `npm run release` or `npm run deploy`, from one file, which starts in a tenth of the time. */
  run(program: 'release' | 'deploy', ...args: readonly string[]): Result {
    const path = program === 'release' ? 'index' : 'deploy/index';
    const outfile = join(this.folder, `${program}.cjs`);
    const entryPoints = [join(PROJECT, `functions/release/${path}.ts`)];
    if (!existsSync(outfile)) buildSync({ entryPoints, outfile, bundle: true, platform: 'node', packages: 'external' });
    return this.spawn(process.execPath, [outfile, ...args], PROJECT, { NODE_PATH: join(PROJECT, 'node_modules') });
  }

  /** Runs a step of a workflow as a runner does. */
  runStep(line: string, project: string, environment: NodeJS.ProcessEnv): Result {
    return this.spawn('bash', ['-e', '-c', line], project, environment);
  }

  /** A folder in which npm runs the project's programs, and which has a `dist` of its own. */
  project(): string {
    const folder = join(this.folder, 'project');
    mkdirSync(folder);
    cpSync(join(PROJECT, 'package.json'), join(folder, 'package.json'));
    for (const name of ['functions', 'shared', 'client', 'node_modules', 'tsconfig.json'])
      symlinkSync(join(PROJECT, name), join(folder, name));
    return folder;
  }

  /** What was called, a line each. */
  calls(program: string): string[] {
    return this.read('calls')
      .split('\n')
      .filter((line) => line.startsWith(program));
  }

  /** The folders of deployments and releases that were not removed. */
  leftovers(): string[] {
    return readdirSync(join(this.folder, 'tmp')).filter((name) => /^(deployment|previous)-/.test(name));
  }

  private spawn(program: string, args: readonly string[], cwd: string, environment: NodeJS.ProcessEnv): Result {
    const env = { ...this.environment, ...environment };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
    return { code: status, stdout, stderr };
  }
}
