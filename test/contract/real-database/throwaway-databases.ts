import { v1 } from '@google-cloud/firestore';

/** Makes and removes whole databases of a project. */
export interface Databases {
  create(databaseId: string): Promise<void>;
  remove(databaseId: string): Promise<void>;
}

const DEFAULT_LOCATION = 'europe-west1';

/** The databases of a real project (application default credentials), each where the project's first one is. */
export function databasesOf(projectId: string): Databases & { close(): Promise<void> } {
  const client = new v1.FirestoreAdminClient({ projectId });
  const parent = `projects/${projectId}`;
  return {
    async create(databaseId) {
      const [{ databases }] = await client.listDatabases({ parent });
      const locationId = databases?.[0]?.locationId ?? DEFAULT_LOCATION;
      const database = { type: 'FIRESTORE_NATIVE', locationId } as const;
      const [operation] = await client.createDatabase({ parent, databaseId, database });
      await operation.promise();
    },
    async remove(databaseId) {
      const [operation] = await client.deleteDatabase({ name: `${parent}/databases/${databaseId}` });
      await operation.promise();
    },
    close: () => client.close(),
  };
}
