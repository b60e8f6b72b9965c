/** The database: its settings and backups, indexes, expiry. */
import type { Json } from '../../../../shared/adapters/google-apis';
import type { Area } from '../area';
import type { Check, Subject } from '../subject';
import { blockOf, fieldOf } from '../subject';
import { toText } from '../terraform/functions';
import type { Values } from '../terraform/module';

const HOST = 'firestore.googleapis.com';

export const checkDatabase: Check = async (subject, area) => {
  const { expected, google, apply } = subject;
  for (const values of expected.resources('google_firestore_database')) {
    const found = await area.look('the database', () =>
      google.find({ host: HOST, path: databaseOf(subject), permission: 'datastore.databases.getMetadata' }),
    );
    const what = `The database ${toText(values.name)}`;
    if (found === undefined)
      area.wrong(`${what} does not exist.`, `${apply}; if it has another name: the variable firestore_database`);
    if (!found) continue;
    area.compare(
      what,
      [
        ['location_id', values.location_id, found.locationId],
        ['type', values.type, found.type],
        [
          'point_in_time_recovery_enablement',
          values.point_in_time_recovery_enablement,
          found.pointInTimeRecoveryEnablement,
        ],
        ['delete_protection_state', values.delete_protection_state, found.deleteProtectionState],
      ],
      apply,
    );
    await checkBackups(subject, area);
  }
  return 'The database is protected and backed up as Terraform has it.';
};

async function checkBackups(subject: Subject, area: Area): Promise<void> {
  const { expected, google, apply } = subject;
  const schedules = await area.look('the schedules of backups', () =>
    google.list(
      {
        host: HOST,
        path: `${databaseOf(subject)}/backupSchedules`,
        permission: 'datastore.backupSchedules.list',
      },
      'backupSchedules',
    ),
  );
  for (const { retention, daily_recurrence: daily } of schedules
    ? expected.resources('google_firestore_backup_schedule')
    : []) {
    const field = daily === undefined ? 'weeklyRecurrence' : 'dailyRecurrence';
    const schedule = schedules?.find((each) => each[field] !== undefined);
    const name = daily === undefined ? 'weekly' : 'daily';
    if (!schedule) area.wrong(`There are no ${name} backups.`, apply);
    else area.compare(`The ${name} backup`, [['retention', retention, schedule.retention]], apply);
  }
}

/** Indexes of two fields, of one, and that everything else has none. */
export const checkIndexes: Check = async (subject, area) => {
  const { expected } = subject;
  const composite = expected.resources('google_firestore_index');
  const single = expected.resources('google_firestore_field').filter(({ ttl_config: expiry }) => expiry === undefined);
  await checkComposite(composite, subject, area);
  const fields = await listFields(
    'indexConfig.usesAncestorConfig:false',
    'the indexes of single fields',
    subject,
    area,
  );
  for (const values of fields ? single : []) checkSingle(values, fields?.get(keyOf(values)), subject, area);
  return `All ${composite.length + single.length} settings of indexes are there, and the indexes are ready.`;
};

async function checkComposite(indexes: readonly Values[], subject: Subject, area: Area): Promise<void> {
  const { google, apply } = subject;
  const found = await area.look('the indexes', () =>
    google.list(
      {
        host: HOST,
        path: `${databaseOf(subject)}/collectionGroups/-/indexes`,
        permission: 'datastore.indexes.list',
      },
      'indexes',
    ),
  );
  const toKey = (collection: unknown, fields: readonly Json[], path: string) =>
    `${String(collection)}: ${fields.map((field) => `${String(field[path])} ${String(field.order)}`).join(', ')}`;
  const states = new Map(
    found?.map((index) => [toKey(collectionOf(index.name), index.fields as readonly Json[], 'fieldPath'), index.state]),
  );
  for (const { collection, fields } of found ? indexes : []) {
    const key = toKey(collection, fields as readonly Values[], 'field_path');
    if (!states.has(key)) area.wrong(`The index ${key} does not exist.`, apply);
    else checkState(`The index ${key}`, states.get(key), subject, area);
  }
}

function checkSingle(values: Values, found: Json | undefined, subject: Subject, area: Area): void {
  const { apply } = subject;
  const wanted = blockOf(values.index_config).indexes as readonly Values[] | undefined;
  const actual = (fieldOf(found, 'indexConfig.indexes') ?? []) as readonly Json[];
  const field = keyOf(values);
  if (!wanted) {
    const what = `The fields ${field} are indexed: each write takes longer and costs more.`;
    if (!found || actual.length > 0) area.wrong(what, apply);
    return;
  }
  for (const { order, query_scope: scope } of wanted) {
    const index = actual.find(
      (each) => each.queryScope === scope && (each.fields as readonly Json[]).some((part) => part.order === order),
    );
    if (!index) area.wrong(`The field ${field} has no index: queries by it fail.`, apply);
    else checkState(`The index of ${field}`, index.state, subject, area);
  }
}

function checkState(what: string, state: unknown, { project, expected, apply }: Subject, area: Area): void {
  if (state === 'READY') return;
  const database = toText(expected.resources('google_firestore_database')[0]?.name);
  if (state === 'CREATING') {
    area.wrong(
      `${what} is being built: queries by it fail until then.`,
      `wait; gcloud firestore operations list --database='${database}' --project ${project}`,
    );
  } else area.wrong(`${what} is in the state ${String(state)}.`, `delete it, then ${apply}`);
}

export const checkExpiry: Check = async (subject, area) => {
  const { expected, apply } = subject;
  const expiring = expected
    .resources('google_firestore_field')
    .filter(({ ttl_config: expiry }) => expiry !== undefined);
  const fields = await listFields('ttlConfig:*', 'the expiry of documents', subject, area);
  for (const values of fields ? expiring : []) {
    const state = fieldOf(fields?.get(keyOf(values)), 'ttlConfig.state') as string | undefined;
    const documents = `documents of ${toText(values.collection)}`;
    if (state === undefined) area.wrong(`The ${documents} do not expire: they are kept for ever.`, apply);
    else if (state === 'CREATING') area.wrong(`The expiry of ${documents} is being set up.`, 'wait some minutes');
    else if (state !== 'ACTIVE')
      area.wrong(
        `The expiry of ${documents} is in the state ${state}.`,
        `gcloud firestore fields ttls update ${toText(values.field)} --collection-group=${toText(values.collection)} --disable-ttl --database='${toText(values.database)}' --project ${subject.project}, then ${apply}`,
      );
  }
  return `All ${expiring.length} kinds of documents that expire do so.`;
};

/** Fields whose settings are their own, by collection and field; null: they could not be listed. */
async function listFields(
  filter: string,
  what: string,
  subject: Subject,
  area: Area,
): Promise<ReadonlyMap<string, Json> | null> {
  const fields = await area.look(what, () =>
    subject.google.list(
      {
        host: HOST,
        path: `${databaseOf(subject)}/collectionGroups/-/fields`,
        query: { filter, pageSize: '300' },
        permission: 'datastore.indexes.list',
      },
      'fields',
    ),
  );
  return fields && new Map(fields.map((field) => [`${collectionOf(field.name)}/${fieldPathOf(field.name)}`, field]));
}

function databaseOf({ project, expected }: Subject): string {
  return `v1/projects/${project}/databases/${toText(expected.resources('google_firestore_database')[0]?.name)}`;
}

function keyOf({ collection, field }: Values): string {
  return `${toText(collection)}/${toText(field)}`;
}

/** Of a name such as `projects/p/databases/d/collectionGroups/customers/fields/email`. */
function collectionOf(name: unknown): string {
  return String(name).split('/')[5] ?? '';
}

function fieldPathOf(name: unknown): string {
  return String(name).split('/').slice(7).join('/');
}
