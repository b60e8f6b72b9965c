/** Sends drawn requests, and holds them and their answers against the document. */
import { Agent } from 'node:http';
import type { Contract, DescribedOperation } from '../../support/conformance/contract';
import { describeRequest, requireConformance } from '../../support/conformance/conformance';
import { createExampleCaller } from '../../support/example-tenant';
import { exchange } from '../../support/http-exchange';
import type { FunctionName, TestService } from '../../support/test-service';
import type { DrawnCall } from './drawn-call';

/** What the document says of a request, and what the service said. */
export interface Outcome {
  readonly operationId: string;
  readonly isAllowed: boolean;
  readonly status: number;
}

export class ContractProbe {
  readonly outcomes: Outcome[] = [];
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly to: TestService,
    private readonly contract: Contract,
  ) {}

  /** Each request meets the tenant of the examples as it was first. @throws Error that says what is wrong */
  async send({ functionName, method }: DescribedOperation, call: DrawnCall): Promise<void> {
    const { to, contract, agent } = this;
    const { path, body } = call;
    to.forget();
    const { key } = await createExampleCaller(to, call.settings, call.permissions);
    const keys = { good: { 'x-service-auth-key': key }, unknown: { 'x-service-auth-key': to.unknownKey() }, none: {} };
    const headers = { ...call.headers, ...keys[call.key] };
    const port = to.portOf(functionName as FunctionName);
    const answer = await exchange({ port, method, path, headers, agent, ...(body && { body }) });
    const { status, text } = answer;
    const exchanged = { functionName, method, path, sentHeaders: headers, body, status, headers: answer.headers, text };
    requireConformance(exchanged, contract);
    if (status >= 500) throw new Error(`The answer was ${status}: ${text}`);
    const described = describeRequest(exchanged, contract);
    if (!described) return;
    const { operation, isAllowed } = described;
    this.outcomes.push({ operationId: operation.operationId, isAllowed, status });
  }

  close(): void {
    this.agent.destroy();
  }
}
