/** What stands out about a key. */

/** A key as it is shown; times as ISO texts in UTC. */
export interface MarkedKey {
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** Null: no use is known. */
  readonly lastUsedAt: string | null;
}

export type Mark = 'valid' | 'unused' | 'endsSoon' | 'ended' | 'revoked';

const DAY_MS = 86_400_000;

/** A key that no program has used for so long is hardly needed. */
export const UNUSED_DAYS = 30;
/** Time enough to give its program another one. */
export const SOON_DAYS = 14;

/** At least one mark. A key that does not work any more has nothing else to say. */
export function marksOf(key: MarkedKey, nowMs: number): readonly Mark[] {
  if (key.revokedAt !== null) return ['revoked'];
  const leftMs = key.expiresAt === null ? Infinity : Date.parse(key.expiresAt) - nowMs;
  if (leftMs <= 0) return ['ended'];
  const idleMs = nowMs - Date.parse(idleSince(key));
  const marks: readonly Mark[] = [
    ...(leftMs <= SOON_DAYS * DAY_MS ? (['endsSoon'] as const) : []),
    ...(idleMs >= UNUSED_DAYS * DAY_MS ? (['unused'] as const) : []),
  ];
  return marks.length > 0 ? marks : ['valid'];
}

/** The last use that is known; of a key without one, when it was made. */
export function idleSince({ lastUsedAt, createdAt }: MarkedKey): string {
  return lastUsedAt ?? createdAt;
}

/** Whether requests with it are admitted. */
export function works(marks: readonly Mark[]): boolean {
  return !marks.includes('revoked') && !marks.includes('ended');
}
