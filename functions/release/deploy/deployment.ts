import { unzipSync } from 'fflate';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sha256 } from '../checksums';
import { outputOf, run } from '../programs';
import type { Release } from '../release';
import { functionsOf, TERRAFORM } from '../release';
import { copyConfiguration } from './configuration';
import type { Plan } from './plan-report';

/** An environment, and where its configuration is: a folder, or an address such as `gs://bucket/folder`. */
export interface Environment {
  readonly name: string;
  readonly config: string;
}

/** The outputs of an environment that deploying reads. One that nothing was deployed to has none. */
export interface Outputs {
  readonly base_url?: string;
  readonly project_id?: string;
  /** Null, or absent, where no release is deployed. */
  readonly release?: string | null;
  readonly operator_environment?: Readonly<Record<string, string>>;
}

/** A release beside the configuration of an environment, in a folder of its own, ready for Terraform. */
export class Deployment {
  private constructor(
    private readonly folder: string,
    private readonly environment: string,
  ) {}

  /**
   * Hands a release to `use`, and removes the folder after that.
   *
   * Terraform's code and the artifacts lie as in the project, because a plan has the path of each source.
   * The checksums go to Terraform, too, so that it refuses other bytes itself.
   */
  static with<T>(release: Release, { name, config }: Environment, use: (deployment: Deployment) => T): T {
    const folder = mkdtempSync(join(tmpdir(), 'deployment-'));
    try {
      const code = unzipSync(release.files[TERRAFORM] ?? new Uint8Array());
      for (const [path, content] of Object.entries(code)) write(join(folder, 'terraform', path), content);
      const checksums: Record<string, string> = {};
      for (const artifact of functionsOf(release)) {
        const content = release.files[`${artifact}.zip`] ?? new Uint8Array();
        write(join(folder, 'dist', `${artifact}.zip`), content);
        checksums[artifact] = sha256(content);
      }
      const variables = { release: release.origin.release, artifact_checksums: checksums };
      write(join(folder, 'terraform/release.auto.tfvars.json'), Buffer.from(JSON.stringify(variables)));
      copyConfiguration(config, name, join(folder, 'terraform'));
      const deployment = new Deployment(folder, name);
      deployment.terraform('init', '-input=false', '-lockfile=readonly', `-backend-config=prefix=${name}`);
      return use(deployment);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  outputs(): Outputs {
    const outputs = JSON.parse(this.read('output', '-json')) as Record<string, { readonly value: unknown }>;
    return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
  }

  /** What an apply would do. It takes no lock of the state, so that an identity which may only read can make it. */
  plan(): Plan {
    this.terraform('plan', '-input=false', '-lock=false', `-var-file=${this.environment}.tfvars`, '-out=plan');
    return JSON.parse(this.read('show', '-json', 'plan')) as Plan;
  }

  apply(): void {
    this.terraform('apply', '-input=false', '-auto-approve', `-var-file=${this.environment}.tfvars`);
  }

  private terraform(...args: readonly string[]): void {
    run('terraform', args, { cwd: join(this.folder, 'terraform') });
  }

  private read(...args: readonly string[]): string {
    return outputOf('terraform', args, { cwd: join(this.folder, 'terraform') });
  }
}

function write(path: string, content: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
