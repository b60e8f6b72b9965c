/**
 * One instance of the function `customers` as a process of its own. Configured by the environment like the deployed
 * function, it listens on a free port and tells its parent which. Asked by any message, it answers how many requests it
 * has let through uncounted, by its log.
 */
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { AddressInfo } from 'node:net';
import '../../../functions/customers/index';

let letThrough = 0;
const write = process.stderr.write.bind(process.stdout) as (...args: unknown[]) => boolean;
process.stderr.write = (...args: unknown[]) => {
  if (String(args[0]).includes('the request is let through')) letThrough += 1;
  return write(...args);
};
process.on('message', () => process.send?.(letThrough));

const server = getTestServer('customers');
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
