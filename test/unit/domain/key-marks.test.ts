/** What the page Keys points out. */
import { marksOf, SOON_DAYS, UNUSED_DAYS, works } from '../../../shared/domain/key-marks';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const inDays = (days: number) => new Date(NOW_MS + days * 86_400_000).toISOString();
const KEY = { createdAt: inDays(-100), lastUsedAt: inDays(-1), expiresAt: null, revokedAt: null };

it.each([
  ['nothing of an ordinary key', {}, ['valid'], true],
  ['that it ends soon', { expiresAt: inDays(SOON_DAYS) }, ['endsSoon'], true],
  ['nothing of an end that is later', { expiresAt: inDays(SOON_DAYS + 0.01) }, ['valid'], true],
  ['that nobody uses it', { lastUsedAt: inDays(-UNUSED_DAYS) }, ['unused'], true],
  ['nothing of one that was used later', { lastUsedAt: inDays(0.01 - UNUSED_DAYS) }, ['valid'], true],
  ['that it was never used', { lastUsedAt: null }, ['unused'], true],
  ['nothing of one that is new', { lastUsedAt: null, createdAt: inDays(0.01 - UNUSED_DAYS) }, ['valid'], true],
  ['both', { lastUsedAt: null, expiresAt: inDays(1) }, ['endsSoon', 'unused'], true],
  ['that it has ended, and nothing else', { lastUsedAt: null, expiresAt: inDays(0) }, ['ended'], false],
  ['that it is revoked, and nothing else', { expiresAt: inDays(-1), revokedAt: inDays(-2) }, ['revoked'], false],
] as const)('says %s (R-337)', (_, part, marks, isUsable) => {
  expect(marksOf({ ...KEY, ...part }, NOW_MS)).toEqual(marks);
  expect(works(marks)).toBe(isUsable);
});
