import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir, totalmem } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { StackError } from './stack-error';

/** One of the official emulators: where its jar is found and how its JVM is started. */
export interface EmulatorKind {
  readonly title: string;
  /** Environment variable that names the jar, before any search. */
  readonly variable: string;
  /** Pattern of the jar's path below a Google Cloud SDK; `*` stands for a version. */
  readonly sdkPath: string;
  /** The same below the Firebase CLI's cache of emulators. */
  readonly firebasePath: string;
  readonly gcloudComponent: string;
  readonly aptPackage: string;
  /** How much memory it may take at most. */
  readonly heap: readonly string[];
  /** The same for hours of work: all of it from the start, because while it grows nothing is answered for seconds. */
  readonly largeHeap: readonly string[];
  /** Arguments of `java` for a jar, without its memory, host and port. */
  jvmArguments(jar: string): string[];
}

/** Collects garbage on one thread: an emulator shares the machine with the tests. */
const MODEST = ['-XX:+UseSerialGC'];

/**
 * A quarter of the machine's memory, from three up to six. The emulator keeps all versions of an hour, and the tests
 * store more than three in that time: near its end it collects garbage most of the time, and answers nothing.
 */
const HEAP_GIB = Math.min(6, Math.max(3, Math.floor(totalmem() / 4 / 1024 ** 3)));

/**
 * Half of the machine's memory; more than ten is of no use to the benchmark, which stores some 1.4 million documents.
 */
const LARGE_HEAP_GIB = Math.min(10, Math.floor(totalmem() / 2 / 1024 ** 3));

export const FIRESTORE_EMULATOR: EmulatorKind = {
  title: 'Firestore emulator',
  variable: 'FIRESTORE_EMULATOR_JAR',
  sdkPath: 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar',
  firebasePath: 'cloud-firestore-emulator-v*.jar',
  gcloudComponent: 'cloud-firestore-emulator',
  aptPackage: 'google-cloud-cli-firestore-emulator',
  heap: [`-Xmx${HEAP_GIB}g`],
  largeHeap: [`-Xms${LARGE_HEAP_GIB}g`, `-Xmx${LARGE_HEAP_GIB}g`, '-Xmn1g'],
  // The jar's manifest names no main class.
  jvmArguments: (jar) => [...MODEST, '-cp', jar, 'com.google.cloud.datastore.emulator.firestore.CloudFirestore'],
};

export const PUBSUB_EMULATOR: EmulatorKind = {
  title: 'Pub/Sub emulator',
  variable: 'PUBSUB_EMULATOR_JAR',
  sdkPath: 'platform/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar',
  firebasePath: 'pubsub-emulator-*/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar',
  gcloudComponent: 'pubsub-emulator',
  aptPackage: 'google-cloud-cli-pubsub-emulator',
  heap: ['-Xmx1g'],
  largeHeap: ['-Xmx1g'],
  jvmArguments: (jar) => [...MODEST, '-jar', jar],
};

/**
 * The emulator's jar: from its environment variable, else from the first Google Cloud SDK or Firebase cache that has
 * one.
 * @throws StackError that says how to install it.
 */
export function findEmulatorJar(kind: EmulatorKind, env: NodeJS.ProcessEnv = process.env): string {
  const named = env[kind.variable];
  if (named) {
    if (existsSync(named)) return named;
    throw new StackError(`${kind.variable} names ${named}, which does not exist: set it to the ${kind.title}'s jar.`);
  }
  const candidates = [
    ...sdkFolders(env).map((folder) => [folder, kind.sdkPath] as const),
    [env.FIREBASE_EMULATORS_PATH ?? join(homeFolder(env), '.cache/firebase/emulators'), kind.firebasePath] as const,
  ];
  for (const [folder, pattern] of candidates) {
    const jar = newestMatch(folder, pattern.split('/'));
    if (jar) return jar;
  }
  throw new StackError(
    `The ${kind.title} was not found: install it with "gcloud components install ${kind.gcloudComponent}" or ` +
      `"apt-get install ${kind.aptPackage}", or set ${kind.variable} to its jar.`,
  );
}

/**
 * The `java` program: of JAVA_HOME, else the first on PATH.
 * @throws StackError that says how to install it.
 */
export function findJava(env: NodeJS.ProcessEnv = process.env): string {
  const inJavaHome = env.JAVA_HOME && join(env.JAVA_HOME, 'bin', 'java');
  const java = inJavaHome && existsSync(inJavaHome) ? inJavaHome : findOnPath('java', env);
  if (java) return java;
  throw new StackError(
    'Java was not found, and the emulators need it: install Java 17 or newer, for example with "apt-get install default-jre-headless", or set JAVA_HOME.',
  );
}

/** Where the Google Cloud SDK may be, the most specific place first. */
function sdkFolders(env: NodeJS.ProcessEnv): string[] {
  const gcloud = findOnPath('gcloud', env);
  return [
    ...(env.CLOUDSDK_ROOT_DIR ? [env.CLOUDSDK_ROOT_DIR] : []),
    ...(gcloud ? [dirname(dirname(realpathSync(gcloud)))] : []),
    join(homeFolder(env), 'google-cloud-sdk'),
    '/usr/lib/google-cloud-sdk',
    '/usr/lib64/google-cloud-sdk',
    '/opt/google-cloud-sdk',
    '/usr/local/google-cloud-sdk',
    '/usr/local/share/google-cloud-sdk',
    '/opt/homebrew/share/google-cloud-sdk',
    '/snap/google-cloud-cli/current',
    '/snap/google-cloud-sdk/current',
  ];
}

function homeFolder(env: NodeJS.ProcessEnv): string {
  return env.HOME ?? homedir();
}

function findOnPath(program: string, env: NodeJS.ProcessEnv): string | undefined {
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/** The existing path below `folder` whose segments match, the highest version first where a segment has a `*`. */
function newestMatch(folder: string, segments: string[]): string | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return folder;
  for (const name of matchingNames(folder, segment)) {
    const match = newestMatch(join(folder, name), rest);
    if (match) return match;
  }
  return undefined;
}

function matchingNames(folder: string, segment: string): string[] {
  if (!existsSync(folder)) return [];
  const [prefix, ...suffixes] = segment.split('*');
  const suffix = suffixes.join('*');
  return readdirSync(folder)
    .filter((name) =>
      suffixes.length === 0 ? name === segment : name.startsWith(prefix ?? '') && name.endsWith(suffix),
    )
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
}
