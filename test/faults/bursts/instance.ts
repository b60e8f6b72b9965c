/**
 * One instance of the function `customers` as a process of its own. Configured by the environment like the deployed
 * function, it listens on a free port and tells its parent which.
 */
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { AddressInfo } from 'node:net';
import '../../../functions/customers/index';

const server = getTestServer('customers');
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
