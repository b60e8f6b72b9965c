import { DamagedFile } from '../../../../shared/files/damaged-file';
import { ForbiddenError, IngestionError, NetworkError, UnauthorizedError } from '../../index';
import { CommandError } from '../command-error';
import { toSafeText } from './format';

/** An error as a sentence for the person who has called the command. */
export function explain(error: unknown): string {
  if (error instanceof CommandError) return toSafeText(error.message);
  if (error instanceof DamagedFile) return toSafeText(`The file could be read up to here only. ${error.reason}`);
  if (!(error instanceof IngestionError)) return toSafeText(`The command failed: ${(error as Error).message}`);
  const { status, traceId } = error;
  const details = [status === undefined ? [] : [`status ${status}`], traceId === undefined ? [] : [`trace ${traceId}`]];
  const named = details.flat().join(', ');
  return toSafeText(`${error.message}${named === '' ? '' : ` (${named})`}${hintOf(error)}`);
}

function hintOf(error: IngestionError): string {
  if (error instanceof UnauthorizedError) return ' Check INGEST_KEY or the key file.';
  if (error instanceof ForbiddenError) return ' The key is for other tenants, or lacks the permission.';
  if (error instanceof NetworkError) return ' Check INGEST_URL, and the network.';
  return '';
}
