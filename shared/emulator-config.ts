import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from './config';
import { readConfigWith } from './config';

/** The addresses of the local stack, from `emulator.config.json`. All ports are on `host`. */
export interface EmulatorConfig {
  readonly projectId: string;
  readonly host: string;
  readonly gateway: { readonly port: number };
  readonly firestore: { readonly port: number };
  readonly pubsub: { readonly port: number };
  /** `root`: the folder whose subfolders are the buckets; absolute here, but relative to the file in the file. */
  readonly storage: { readonly port: number; readonly root: string };
  readonly scheduler: { readonly port: number };
}

/** The parts of the stack, each with a port of its own. */
type Part = 'gateway' | 'firestore' | 'pubsub' | 'storage' | 'scheduler';

/** The values of fields that the file leaves out. The file may have no other fields than these. */
export const DEFAULT_EMULATOR_CONFIG: EmulatorConfig = {
  projectId: 'demo-ingestion',
  host: '127.0.0.1',
  gateway: { port: 8080 },
  firestore: { port: 8085 },
  pubsub: { port: 8086 },
  storage: { port: 8087, root: '.local/buckets' },
  scheduler: { port: 8088 },
};

/**
 * Reads an emulator configuration file.
 * @throws Error that names the file and the field when it cannot be read or a field is wrong.
 */
export function readEmulatorConfig(file: string): EmulatorConfig {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}. Give another file with --config FILE.`);
  }
  return parseEmulatorConfig(parsed, file);
}

/** As `readEmulatorConfig`, from the parsed content of `file` (which names it in errors and anchors `storage.root`). */
function parseEmulatorConfig(parsed: unknown, file: string): EmulatorConfig {
  const defaults = DEFAULT_EMULATOR_CONFIG;
  const top = section(parsed, defaults, file, 'the file');
  const part = <Name extends Part>(name: Name) => section(top[name] ?? {}, defaults[name], file, name);
  const storage = part('storage');
  const port = (name: Part) => ({
    port: parsePort(part(name).port ?? defaults[name].port, file, `${name}.port`),
  });
  return {
    projectId: parseProjectId(top.projectId ?? defaults.projectId, file),
    host: parseHost(top.host ?? defaults.host, file),
    gateway: port('gateway'),
    firestore: port('firestore'),
    pubsub: port('pubsub'),
    storage: {
      ...port('storage'),
      root: resolve(dirname(file), parseText(storage.root ?? defaults.storage.root, file, 'storage.root')),
    },
    scheduler: port('scheduler'),
  };
}

/** The configuration with which a function or the command line reaches the local stack. */
export function toLocalConfig(local: EmulatorConfig): Config {
  return readConfigWith(local.projectId, {
    firestore: `${local.host}:${local.firestore.port}`,
    pubsub: `${local.host}:${local.pubsub.port}`,
    scheduler: `${local.host}:${local.scheduler.port}`,
    storage: `http://${local.host}:${local.storage.port}`,
  });
}

/** An object that has only fields of its defaults; a misspelt field would silently have no effect. @throws Error */
function section<Fields extends object>(
  value: unknown,
  defaults: Fields,
  file: string,
  name: string,
): Partial<Record<keyof Fields, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${file}: ${name} must be an object.`);
  const unknown = Object.keys(value).find((field) => !Object.hasOwn(defaults, field));
  if (unknown === undefined) return value;
  throw new Error(`${file}: ${name} has no field "${unknown}"; it may have ${Object.keys(defaults).join(', ')}.`);
}

/** The pattern of every Google Cloud project id. The emulators refuse other ids with less clear messages. */
function parseProjectId(value: unknown, file: string): string {
  const projectId = parseText(value, file, 'projectId');
  if (/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(projectId)) return projectId;
  throw new Error(
    `${file}: projectId must have 6 to 30 lower-case letters, digits and hyphens, with a letter first and no hyphen ` +
      `last; it is "${projectId}".`,
  );
}

function parseText(value: unknown, file: string, name: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new Error(`${file}: ${name} must be a non-empty string.`);
}

/** A host without a colon, because addresses are written `host:port`. */
function parseHost(value: unknown, file: string): string {
  const host = parseText(value, file, 'host');
  if (!host.includes(':')) return host;
  throw new Error(`${file}: host must be a name or an IPv4 address.`);
}

function parsePort(value: unknown, file: string, name: string): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535) return value as number;
  throw new Error(`${file}: ${name} must be a port number from 0 to 65535 (0: any free port).`);
}
