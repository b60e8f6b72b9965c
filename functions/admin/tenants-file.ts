/** Reads the tenants of a file, in the names that `tenants list` prints. */
import { createReadStream } from 'node:fs';
import { DamagedFile } from '../../shared/files/damaged-file';
import { parseFileForm } from '../../shared/files/file-kind';
import { inflate } from '../../shared/files/packing/inflate';
import { readTable } from '../../shared/files/tables/read-table';
import { OperatorError } from '../../shared/operations/operator-error';
import type { TenantLine } from '../../shared/operations/tenants/create-tenants';
import { toTenantLine } from '../../shared/operations/tenants/tenant-values';

/** The lines of a file, CSV or NDJSON, also compressed. @throws OperatorError when it cannot be read to its end */
export async function* readTenantsFile(path: string): AsyncGenerator<TenantLine> {
  const form = parseFileForm(path);
  if (!form || form.zip || (form.format !== 'csv' && form.format !== 'ndjson')) {
    throw new OperatorError('--from must name a file that ends in .csv, .ndjson or .jsonl, and may end in .gz.');
  }
  const bytes = createReadStream(path) as AsyncIterable<Buffer>;
  try {
    for await (const row of readTable(form.gzip ? inflate(bytes) : bytes, form.format)) yield toTenantLine(row);
  } catch (error) {
    if (error instanceof DamagedFile) throw new OperatorError(`${path}: ${error.reason}`, { cause: error });
    if (typeof error !== 'object' || error === null || !('syscall' in error)) throw error;
    throw new OperatorError(`${path} cannot be read: ${(error as Error & typeof error).message}`, { cause: error });
  }
}
