/** The command about the audit log. */
import type { Command } from 'commander';
import type { ShownEntry } from '../../../shared/audit/entry';
import { DEFAULT_AUDIT_ENTRIES, MAX_AUDIT_ENTRIES } from '../../../shared/limits/audit';
import { listAudit } from '../../../shared/operations/audit';
import type { Operator } from '../../../shared/operations/operator';
import type { AuditTexts } from '../options';
import { parseAuditOptions } from '../options';
import type { Printing } from '../printing';

const AUDIT_COLUMNS = ['at', 'actor', 'action', 'outcome', 'tenantId', 'organizationId', 'keyId'];

export function addAudit(program: Command, { list }: Printing): void {
  program
    .command('audit')
    .description('who changed what by the command line; kept for 400 days')
    .command('list')
    .description('list entries, newest first')
    .option('--tenant <guid>', 'only entries about this tenant')
    .option('--actor <name>', 'only what this account, user or key has done')
    .option('--since <time>', 'only entries since then: 30m, 24h, 7d, or a time such as 2026-11-20T10:15:00Z')
    .option('--limit <n>', `at most so many, up to ${MAX_AUDIT_ENTRIES} (default: ${DEFAULT_AUDIT_ENTRIES})`)
    .option('--after <entryId>', 'only entries older than this one')
    .action((options: AuditTexts) => list(AUDIT_COLUMNS, (operator) => auditEntries(options, operator)));
}

/** A page of entries. A notice says how to go on. */
async function* auditEntries(options: AuditTexts, operator: Operator): AsyncGenerator<ShownEntry> {
  const { entries, next } = await listAudit(parseAuditOptions(options, operator.clock.nowMs()), operator);
  yield* entries;
  if (next !== null) operator.notice(`There are older entries: add --after ${next}.`);
}
