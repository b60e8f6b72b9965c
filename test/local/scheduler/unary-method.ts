import type { handleUnaryCall, MethodDefinition, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { SchedulerError } from './scheduler-error';

/** Reads and writes one kind of message; the classes that a client library generates have this shape. */
export interface MessageType<Message> {
  decode(bytes: Uint8Array): Message;
  encode(message: Message): { finish(): Uint8Array };
  /** Accepts names of enum values, and numbers for 64-bit fields. */
  fromObject(fields: object): Message;
}

/** A method of a gRPC service with its implementation. */
export interface UnaryMethod {
  readonly name: string;
  readonly definition: ServiceDefinition[string];
  readonly handler: UntypedServiceImplementation[string];
}

/**
 * A method that takes one message and answers one.
 * @param handle returns the answer's fields; a SchedulerError becomes its gRPC code, any other error INTERNAL.
 */
export function unaryMethod<Request, Response>(
  service: string,
  name: string,
  requestType: MessageType<Request>,
  responseType: MessageType<Response>,
  handle: (request: Request) => object | Promise<object>,
): UnaryMethod {
  const definition: MethodDefinition<Request, object> = {
    path: `/${service}/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message) => Buffer.from(requestType.encode(message).finish()),
    requestDeserialize: (bytes) => requestType.decode(bytes),
    responseSerialize: (fields) => Buffer.from(responseType.encode(responseType.fromObject(fields)).finish()),
    responseDeserialize: (bytes) => responseType.decode(bytes) as object,
  };
  const handler: handleUnaryCall<Request, object> = (call, callback) => {
    Promise.resolve(call.request)
      .then(handle)
      .then(
        (fields) => callback(null, fields),
        (error: unknown) =>
          callback({
            code: error instanceof SchedulerError ? error.code : status.INTERNAL,
            details: (error as Error).message,
          }),
      );
  };
  return { name, definition, handler };
}
