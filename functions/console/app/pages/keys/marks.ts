/** What stands out about a key. */
import type { Key } from './key';

export type Mark = 'valid' | 'unused' | 'endsSoon' | 'ended' | 'revoked';

const DAY_MS = 86_400_000;

/** A key that no program has used for so long is hardly needed. */
export const UNUSED_DAYS = 30;
/** Time enough to give its program another one. */
export const SOON_DAYS = 14;

/** At least one mark. A key that does not work any more has nothing else to say. */
export function marksOf(
  { revokedAt, expiresAt, lastUsedAt, createdAt }: Pick<Key, 'revokedAt' | 'expiresAt' | 'lastUsedAt' | 'createdAt'>,
  nowMs: number,
): readonly Mark[] {
  if (revokedAt !== null) return ['revoked'];
  const leftMs = expiresAt === null ? Infinity : Date.parse(expiresAt) - nowMs;
  if (leftMs <= 0) return ['ended'];
  const idleMs = nowMs - Date.parse(lastUsedAt ?? createdAt);
  const marks: readonly Mark[] = [
    ...(leftMs <= SOON_DAYS * DAY_MS ? (['endsSoon'] as const) : []),
    ...(idleMs >= UNUSED_DAYS * DAY_MS ? (['unused'] as const) : []),
  ];
  return marks.length > 0 ? marks : ['valid'];
}

/** Whether requests with it are admitted. */
export function works(marks: readonly Mark[]): boolean {
  return !marks.includes('revoked') && !marks.includes('ended');
}
