/** Reads the tenants of a file, in the names that `tenants list` prints. */
import { createReadStream } from 'node:fs';
import { DamagedFile } from '../../shared/files/damaged-file';
import { parseFileForm } from '../../shared/files/file-kind';
import { inflate } from '../../shared/files/packing/inflate';
import type { TableRow } from '../../shared/files/tables/read-table';
import { readTable } from '../../shared/files/tables/read-table';
import { isPresent } from '../../shared/domain/values/text';
import { isObject } from '../../shared/validation/values';
import { OperatorError } from '../../shared/operations/operator-error';
import type { TenantLine } from '../../shared/operations/tenants/create-tenants';
import type { TenantTexts } from './options';
import { parseTenantOptions } from './options';

/** The settings by the names of their columns. */
const COLUMNS = {
  tenantId: 'id',
  organizationId: 'organization',
  displayName: 'displayName',
  customerIdentifier: 'customerIdentifier',
  productIdentifier: 'productIdentifier',
  orderCustomer: 'orderCustomer',
  defaultLanguage: 'defaultLanguage',
  requiredFields: 'required',
  notifyTopic: 'notifyTopic',
} as const satisfies Record<string, keyof TenantTexts>;

/** What settings are called in complaints. */
const NAMES = {
  customerIdentifier: 'customerIdentifier',
  productIdentifier: 'productIdentifier',
  orderCustomer: 'orderCustomer',
};

/** The lines of a file, CSV or NDJSON, also compressed. @throws OperatorError when it cannot be read to its end */
export async function* readTenantsFile(path: string): AsyncGenerator<TenantLine> {
  const form = parseFileForm(path);
  if (!form || form.zip || (form.format !== 'csv' && form.format !== 'ndjson')) {
    throw new OperatorError('--from must name a file that ends in .csv, .ndjson or .jsonl, and may end in .gz.');
  }
  const bytes = createReadStream(path) as AsyncIterable<Buffer>;
  try {
    for await (const row of readTable(form.gzip ? inflate(bytes) : bytes, form.format)) yield toLine(row);
  } catch (error) {
    if (error instanceof DamagedFile) throw new OperatorError(`${path}: ${error.reason}`, { cause: error });
    if (typeof error !== 'object' || error === null || !('syscall' in error)) throw error;
    throw new OperatorError(`${path} cannot be read: ${(error as Error & typeof error).message}`, { cause: error });
  }
}

function toLine(row: TableRow): TenantLine {
  if ('problem' in row) return row;
  try {
    return { line: row.line, options: parseTenantOptions(toTexts(row.values), NAMES) };
  } catch (error) {
    if (error instanceof OperatorError) return { line: row.line, problem: error.message };
    throw error;
  }
}

function toTexts(values: unknown): TenantTexts {
  if (!isObject(values)) throw new OperatorError('The line must be an object.');
  const texts = Object.entries(values).map(([name, value]) => [requireColumn(name), toText(name, value)] as const);
  return Object.fromEntries(texts.filter(([name, text]) => name !== 'id' || isPresent(text)));
}

function requireColumn(name: string): keyof TenantTexts {
  if (Object.hasOwn(COLUMNS, name)) return COLUMNS[name as keyof typeof COLUMNS];
  throw new OperatorError(`"${name}" is no setting; the settings are ${Object.keys(COLUMNS).join(', ')}.`);
}

/** The text of a value as an option has it. */
function toText(name: string, value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((element) => typeof element === 'string')) return value.join(',');
  throw new OperatorError(`${name} must be a text.`);
}
