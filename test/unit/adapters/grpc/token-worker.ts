/** Makes calls' credentials in a process of its own until two have a token, and prints what each call would send. */
import { tokenCredentials } from '../../../../shared/adapters/grpc/google-credentials';

/** On a busy machine Google's library may give up waiting for an answer, more than once. */
const MOST_CALLS = 20;

async function main(): Promise<void> {
  const credentials = tokenCredentials('https://www.googleapis.com/auth/datastore');
  const call = { method_name: 'Commit', service_url: 'https://firestore.googleapis.com/google.firestore.v1.Firestore' };
  const sent: string[] = [];
  const isToken = (text: string) => text !== 'failed';
  while (sent.length < MOST_CALLS && sent.filter(isToken).length < 2) {
    sent.push(
      await credentials.generateMetadata(call).then(
        (metadata) => metadata.get('authorization').join(),
        (error: unknown) => {
          process.stderr.write(`${String(error)}\n`);
          return 'failed';
        },
      ),
    );
  }
  process.stdout.write(JSON.stringify(sent));
}

void main();
