import type { FunctionPorts } from './served-functions';

/**
 * What the stack tells a worker (`worker.ts`): open these ports; keep no connection open after an answer; answer what
 * has begun, and end.
 */
export type ToWorker = { readonly serve: FunctionPorts } | 'closeConnections' | 'end';

/** What a worker tells the stack. */
export type FromWorker = 'loaded' | 'serving' | { readonly failed: string };
