/** Where the service is and with which key: from options and the environment, never a key from an argument. */
import { readFileSync, statSync } from 'node:fs';
import type { Platform } from '../index';
import { IngestionClient } from '../index';
import { CommandError } from './command-error';

export interface ConnectionOptions {
  readonly url?: string;
  readonly keyFile?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Connection {
  readonly client: IngestionClient;
  /** The base URL, without slashes at its end. */
  readonly url: string;
}

/** Permissions of others than the owner. */
const OTHERS = 0o077;

/** @param platform of tests @throws CommandError that says what is missing */
export function connect(options: ConnectionOptions, env: Environment, platform?: Platform): Connection {
  const url = (options.url ?? env['INGEST_URL'] ?? '').replace(/\/+$/, '');
  if (url === '') throw new CommandError('Say where the service is: set INGEST_URL, or use --url URL.');
  const key = options.keyFile === undefined ? (env['INGEST_KEY'] ?? '') : readKey(options.keyFile);
  if (key === '') throw new CommandError('Say your key: set INGEST_KEY, or use --key-file FILE.');
  try {
    return { client: new IngestionClient({ baseUrl: url, key }, platform), url };
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(error.message);
    throw error;
  }
}

function readKey(file: string): string {
  let text: string;
  try {
    const { mode } = statSync(file);
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      throw new CommandError(`Others can read the key in ${file}. Mend that with: chmod 600 ${file}`);
    }
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The key file cannot be read: ${(error as Error).message}`);
  }
  if (text === '') throw new CommandError(`The key file ${file} is empty.`);
  return text;
}
