import type { BenchStack } from './bench-stack';
import type { FirestoreCall } from './call-summary';
import { CountingProxy } from './counting-proxy';
import { firestoreCallReader, NOTHING } from './firestore-calls';

export interface CountedCalls {
  readonly calls: readonly FirestoreCall[];
  /** Messages that were published. */
  readonly publishes: number;
}

/** Proxies before both emulators, which hold nothing back: here only what is called counts, not in which order. */
export class CountingProxies {
  /** Of a function that is to be counted. */
  readonly environment: Readonly<Record<string, string>>;

  private constructor(
    private readonly firestore: CountingProxy,
    private readonly pubsub: CountingProxy,
  ) {
    this.environment = { FIRESTORE_EMULATOR_HOST: firestore.address, PUBSUB_EMULATOR_HOST: pubsub.address };
  }

  static async start({ config, firestore }: BenchStack): Promise<CountingProxies> {
    const { emulators } = config;
    const firestoreProxy = await CountingProxy.start(
      emulators.firestore ?? '',
      firestoreCallReader(firestore.protocol),
      () => 0,
    );
    return new CountingProxies(
      firestoreProxy,
      await CountingProxy.start(
        emulators.pubsub ?? '',
        () => NOTHING,
        () => 0,
      ),
    );
  }

  /** Waits until no call is under way, and returns what was called since it was last asked. */
  async take(): Promise<CountedCalls> {
    const published = (await this.pubsub.takeCalls()).filter(({ method }) => method === 'Publish');
    return { calls: await this.firestore.takeCalls(), publishes: published.length };
  }

  stop(): void {
    this.firestore.stop();
    this.pubsub.stop();
  }
}
