/** Turns the texts of the command line into the inputs of the use cases, and their complaints into words of flags. */
import type { Command } from 'commander';
import type { Permission } from '../../shared/domain/api-key';
import { PERMISSIONS } from '../../shared/domain/api-key';
import type { RecordKind } from '../../shared/domain/identity';
import { RECORD_KINDS } from '../../shared/domain/identity';
import { CUSTOMER_IDENTIFIERS, PRODUCT_IDENTIFIERS } from '../../shared/domain/tenant';
import { parseDateTime } from '../../shared/domain/values/date-time';
import { isPresent } from '../../shared/domain/values/text';
import type { AuditQuery } from '../../shared/operations/audit';
import type { Scope } from '../../shared/operations/inputs';
import type { KeyOptions, RotationOptions } from '../../shared/operations/keys';
import { complain, InvalidInput, OperatorError } from '../../shared/operations/operator-error';
import type { ReplayOptions } from '../../shared/operations/restore';
import type { TenantOptions } from '../../shared/operations/tenants';
import type { RunListOptions } from '../../shared/operations/transfers/search-runs';
import { RUN_STATUSES } from '../../shared/transfers/runs/run';
import type { UsageOptions } from '../../shared/operations/usage';

/** The options of a tenant as they are typed. */
export interface TenantTexts {
  readonly id?: string;
  readonly organization?: string;
  readonly customerIdentifier?: string;
  readonly productIdentifier?: string;
  readonly orderCustomer?: string;
  /** Blank: none. */
  readonly defaultLanguage?: string;
  /** Separated by commas; blank: none. */
  readonly required?: string;
  /** Blank: none. */
  readonly notifyTopic?: string;
  /** Blank: none. */
  readonly displayName?: string;
}

/** The options of a key as they are typed. */
export interface KeyTexts {
  readonly organization: string;
  /** Separated by commas. */
  readonly permissions?: string;
  readonly limit?: string;
  readonly name?: string;
  /** A time, or how long from now. */
  readonly expires?: string;
}

/** The options of a rotation as they are typed. */
export interface RotationTexts extends Pick<KeyTexts, 'expires'> {
  readonly overlap?: string;
}

/** The options of a list of the audit log as they are typed. */
export interface AuditTexts {
  readonly tenant?: string;
  readonly actor?: string;
  readonly since?: string;
  readonly limit?: string;
  readonly after?: string;
}

/** The options of usage as they are typed. */
export interface UsageTexts {
  readonly from?: string;
  readonly to?: string;
  readonly all?: boolean;
  readonly top?: string;
}

/** The options of a replay as they are typed. */
export type ReplayTexts = Readonly<Record<keyof ReplayOptions, string>>;

/** The options of a list of runs as they are typed. */
export interface RunListTexts {
  /** Separated by commas. */
  readonly status?: string;
  /** A time, or how long ago. */
  readonly since?: string;
  readonly limit?: string;
  readonly after?: string;
}

/** @throws OperatorError */
export function parseTenantOptions(texts: TenantTexts): TenantOptions {
  const { customerIdentifier, productIdentifier, orderCustomer, defaultLanguage, required, ...rest } = texts;
  const { notifyTopic, displayName, ...others } = rest;
  return {
    ...others,
    ...(customerIdentifier !== undefined && {
      customerIdentifier: parseChoice('--customer-identifier', customerIdentifier, CUSTOMER_IDENTIFIERS),
    }),
    ...(productIdentifier !== undefined && {
      productIdentifier: parseChoice('--product-identifier', productIdentifier, PRODUCT_IDENTIFIERS),
    }),
    ...(orderCustomer !== undefined && {
      orderCustomer: parseChoice('--order-customer', orderCustomer, CUSTOMER_IDENTIFIERS),
    }),
    ...(defaultLanguage !== undefined && { defaultLanguage: isPresent(defaultLanguage) ? defaultLanguage : null }),
    ...(required !== undefined && { required: parseList(required).map((field) => field.trim()) }),
    ...(notifyTopic !== undefined && { notifyTopic: isPresent(notifyTopic) ? notifyTopic : null }),
    ...(displayName !== undefined && { displayName: isPresent(displayName) ? displayName : null }),
  };
}

/** @throws OperatorError */
export function parseKeyOptions(
  { organization, name, permissions, limit, expires }: KeyTexts,
  nowMs: number,
): KeyOptions {
  return {
    organization,
    ...(name !== undefined && { name }),
    ...(expires !== undefined && { expires: parseEnd(expires, nowMs) }),
    ...(permissions !== undefined && { permissions: parsePermissions(permissions) }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
}

/** @throws OperatorError */
export function parseRotationOptions({ overlap, expires }: RotationTexts, nowMs: number): RotationOptions {
  return {
    ...(overlap !== undefined && { overlap: parseDuration('--overlap', overlap) }),
    ...(expires !== undefined && { expires: parseEnd(expires, nowMs) }),
  };
}

/** @throws OperatorError */
export function parseAuditOptions({ since, limit, ...others }: AuditTexts, nowMs: number): AuditQuery {
  return {
    ...others,
    ...(since !== undefined && { since: parseSince(since, nowMs) }),
    ...parseLimit({ ...(limit !== undefined && { limit }) }),
  };
}

/** The limit of a list; NaN, which the use case refuses, when the text is no number. */
export function parseLimit({ limit }: { readonly limit?: string }): { limit?: number } {
  return limit === undefined ? {} : { limit: Number(limit) };
}

/** @throws OperatorError, also unless either a tenant is named or all are asked for */
export function parseUsageOptions(
  tenant: string | undefined,
  { from, to, all = false, top }: UsageTexts,
): UsageOptions & { readonly tenant?: string; readonly top?: number } {
  if (all === (tenant !== undefined)) throw new OperatorError('Name a tenant, or say --all.');
  if (!all && top !== undefined) throw new OperatorError('--top needs --all.');
  return {
    ...(tenant !== undefined && { tenant }),
    ...(from !== undefined && { from: parseDay('--from', from) }),
    ...(to !== undefined && { to: parseDay('--to', to) }),
    ...(top !== undefined && { top: Number(top) }),
  };
}

/** @throws OperatorError */
export function parseReplayOptions({ fromDatabase, snapshotTime, restoredAt }: ReplayTexts): ReplayOptions {
  return {
    fromDatabase,
    snapshotTime: parseTime('--snapshot-time', snapshotTime),
    restoredAt: parseTime('--restored-at', restoredAt),
  };
}

/** One tenant or all of them: a list must say which. @throws OperatorError */
export function scopeOf(tenant: string | undefined, { all }: { readonly all?: boolean }): Scope {
  if ((tenant === undefined) === (all === true)) return tenant === undefined ? {} : { tenant };
  throw new OperatorError('Name either a tenant, or all of them with --all.');
}

/** @throws OperatorError */
export function parseRunList({ status, since, after, ...others }: RunListTexts, nowMs: number): RunListOptions {
  const toStatus = (text: string) => parseChoice('--status', text, RUN_STATUSES);
  return {
    ...(status !== undefined && { statuses: parseList(status).map(toStatus) }),
    ...(since !== undefined && { since: parseSince(since, nowMs) }),
    ...(after !== undefined && { after: after.trim() }),
    ...parseLimit(others),
  };
}

/** A kind of record in any case. @throws OperatorError */
export function parseKind(text: string): RecordKind {
  return parseChoice('The kind of record', text, RECORD_KINDS);
}

/**
 * The error to show: of a use case's complaint about an option, the sentence with the option's flag, and a number as it
 * was typed. Other errors stay as they are.
 */
export function nameFlag(error: unknown, command: Command): unknown {
  if (!(error instanceof InvalidInput)) return error;
  const { field, complaint, given } = error;
  const flag = command.options.find((option) => option.attributeName() === field)?.long;
  if (!flag) return error;
  const shown = typeof given === 'number' ? command.opts<Record<string, string>>()[field] : given;
  return new OperatorError(complain(flag, complaint, shown), { cause: error });
}

function parsePermissions(text: string): readonly Permission[] {
  return parseList(text).map((name) => parseChoice('--permissions', name, PERMISSIONS));
}

/** The elements of a list that are not blank. */
function parseList(text: string): string[] {
  return text.split(',').filter(isPresent);
}

/** One of the allowed values, typed in any case. @param name a flag, or what else the sentence begins with */
function parseChoice<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const choice = allowed.find((value) => value === text.trim().toLowerCase());
  if (!choice) throw new OperatorError(complain(name, `must be one of ${allowed.join(', ')}`, text));
  return choice;
}

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A length of time such as 30m, 24h or 7d, in milliseconds. @throws OperatorError */
function parseDuration(flag: string, text: string): number {
  const ms = toDuration(text);
  if (ms !== undefined) return ms;
  throw new OperatorError(complain(flag, 'must be a length of time such as 30m, 24h or 7d', text));
}

/** Undefined: the text is no length of time. */
function toDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text.trim()) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** A time, or a length of time up to now. @throws OperatorError */
function parseSince(text: string, nowMs: number): Date {
  const ms = toDuration(text);
  return ms === undefined ? parseTime('--since', text, 'a length of time such as 24h or ') : new Date(nowMs - ms);
}

/** A time, or a length of time from now. @throws OperatorError */
function parseEnd(text: string, nowMs: number): Date {
  const ms = toDuration(text);
  return ms === undefined ? parseTime('--expires', text, 'a length of time such as 90d or ') : new Date(nowMs + ms);
}

/** A day or time of UTC, unless it has another zone. */
function parseDay(flag: string, text: string): Date {
  const time = parseDateTime(text);
  if (time) return time;
  throw new OperatorError(complain(flag, 'must be a day or time such as 2026-11-20 or 2026-11-20T10:00:00Z', text));
}

/** A time must have a zone: without one it would be read as local time. */
function parseTime(flag: string, text: string, orElse = ''): Date {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text.trim());
  const time = new Date(isTime ? text.trim() : NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new OperatorError(complain(flag, `must be ${orElse}a time with its zone such as 2026-11-20T10:15:00Z`, text));
}
