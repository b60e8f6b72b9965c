/** What the files of terraform/ say that there must be: the resources, locals and outputs of an environment. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FUNCTIONS, toText } from './functions';
import { Module } from './module';
import { parse } from './parse';
import type { Body, Value } from './syntax';
import { evaluateBody, UNKNOWN } from './evaluate';

/** What only the project itself knows, or what is built. */
export interface Facts {
  /** Undefined: it could not be looked up. */
  readonly projectNumber: string | undefined;
  /** Address of each function that is deployed, by name. */
  readonly uris: ReadonlyMap<string, string>;
  /** SHA-256 of the artifact of each function, by name. */
  readonly checksums: ReadonlyMap<string, string>;
}

export type Variables = Readonly<Record<string, Value>>;

/**
 * The root module of terraform/, with the values of its variables.
 * @throws Error when the files say what this reader does not understand
 */
export function readDeployment(folder: string, variables: Variables, facts: Facts): Module {
  const { projectNumber = UNKNOWN, uris, checksums } = facts;
  return new Module(readFolder(folder), variables, {
    projectId: toText(variables.project_id),
    projectNumber,
    uriOf: (name) => uris.get(name) ?? UNKNOWN,
    functions: {
      ...FUNCTIONS,
      filesha256: (file) => checksums.get(basename(toText(file), '.zip')) ?? UNKNOWN,
    },
    readModule: (source) => readFolder(join(folder, source)),
  });
}

/** The values of a file such as `prod.tfvars`. @throws Error */
export function readVariables(file: string): Variables {
  return evaluateBody(parse(readFileSync(file, 'utf8'), file), { find: () => undefined, functions: FUNCTIONS });
}

/** All files of a module as one. */
function readFolder(folder: string): Body {
  const bodies = readdirSync(folder)
    .filter((file) => file.endsWith('.tf'))
    .map((file) => parse(readFileSync(join(folder, file), 'utf8'), file));
  return { attributes: new Map(), blocks: bodies.flatMap(({ blocks }) => blocks) };
}
