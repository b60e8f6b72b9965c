/**
 * The transfer-runner as a process of its own, which a test can kill. Configured by the environment like the deployed
 * function, it listens on the port of its only argument, and says on its standard output when it does.
 */
import { getTestServer } from '@google-cloud/functions-framework/testing';
import '../../functions/transfer-runner/index';

const [, , port] = process.argv;
getTestServer('transfer-runner').listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
