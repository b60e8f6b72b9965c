/**
 * The transfer-runner as a process of its own, which a test can kill. Configured by the environment like the deployed
 * function, it listens on a free port and tells its parent which.
 */
import { getTestServer } from '@google-cloud/functions-framework/testing';
import '@google-cloud/pubsub'; // now rather than with the first event
import '@google-cloud/storage';
import type { AddressInfo } from 'node:net';
import '../../functions/transfer-runner/index';

const server = getTestServer('transfer-runner');
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
