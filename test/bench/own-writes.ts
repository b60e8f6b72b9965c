/**
 * The writes of one request, recorded as the function sent them and sent again without it: how much of a request's
 * time is the emulator's work for these very calls, whatever the function does before and after them.
 */
import type { BenchStack } from './bench-stack';
import { CountingProxy } from './counting-proxy';
import { firestoreCallReader } from './firestore-calls';
import { methodOf } from './firestore-protocol';
import type { UpsertScenario } from './upsert-scenarios';
import { functionPath, UpsertTarget } from './upsert-scenarios';
import { inTenant } from './write-floor';

const METHOD = 'BatchWrite';

interface BatchWrite {
  readonly writes: readonly { readonly update: { readonly name: string } }[];
}

export class OwnWrites {
  private constructor(
    private readonly stack: BenchStack,
    private readonly calls: readonly BatchWrite[],
  ) {}

  /** Records the calls that store the records of the scenario's batch. */
  static async record(stack: BenchStack, scenario: UpsertScenario): Promise<OwnWrites> {
    const { protocol } = stack.firestore;
    const { requestDeserialize } = methodOf(protocol, METHOD);
    const readCall = firestoreCallReader(protocol);
    let calls: BatchWrite[] = [];
    const proxy = await CountingProxy.start(stack.config.emulators.firestore ?? '', (method, requests, ...rest) => {
      const details = readCall(method, requests, ...rest);
      if (details.writesRecords) calls.push(...requests.map((bytes) => requestDeserialize(bytes) as BatchWrite));
      return details;
    });
    const environment = { FIRESTORE_EMULATOR_HOST: proxy.address };
    const server = await stack.startFunction(scenario.kind, { environment });
    try {
      const target = new UpsertTarget(stack, server, await stack.createKey(), functionPath);
      const tenantId = await target.prepareTenant(scenario);
      await proxy.takeCalls();
      calls = [];
      await target.sendBatch(scenario, tenantId);
      await proxy.takeCalls();
      return new OwnWrites(stack, calls);
    } finally {
      await server.stop();
      proxy.stop();
    }
  }

  /**
   * Sends the calls for a tenant that has what the scenario says. @returns how long they took, in milliseconds
   * @throws Error when one of the writes is not applied
   */
  async send(tenantId: string): Promise<number> {
    const { floor, firestore } = this.stack;
    const { requestSerialize, responseDeserialize } = methodOf(firestore.protocol, METHOD);
    const requests = this.calls.map(({ writes, ...rest }) => {
      const moved = writes.map(({ update, ...write }) => {
        return { ...write, update: { ...update, name: inTenant(update.name, tenantId) } };
      });
      return requestSerialize({ ...rest, writes: moved });
    });
    const startMs = performance.now();
    const answers = await Promise.all(requests.map((request) => floor.call(METHOD, request)));
    const tookMs = performance.now() - startMs;
    const statuses = answers.flatMap(
      (answer) => (responseDeserialize(answer) as { status: readonly { code: number }[] }).status,
    );
    const applied = statuses.filter(({ code }) => code === 0).length;
    const sent = this.calls.reduce((count, { writes }) => count + writes.length, 0);
    if (applied !== sent || sent === 0) throw new Error(`Of ${sent} writes of the function ${applied} were applied.`);
    return tookMs;
  }
}
