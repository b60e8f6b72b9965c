/** How long a machine takes, against the one on which the bounds were set. */

/** What the work below takes where the bounds were set, in the processor's milliseconds. */
const REFERENCE_MS = 60;
const TRIES = 5;

/** At least 1: how much more time than the reference this machine needs. The best of some tries. */
export function machineFactor(): number {
  const tries = Array.from({ length: TRIES }, spinMs);
  return Math.max(1, Math.min(...tries) / REFERENCE_MS);
}

/** A fixed amount of what the service does most: building, walking and copying small objects. */
function spinMs(): number {
  const start = process.cpuUsage();
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ id: `p${index}`, price: index })));
  const prices = new Map<string, number>();
  for (const { id, price } of JSON.parse(text) as { id: string; price: number }[]) prices.set(id, price);
  let sum = 0;
  for (let round = 0; round < 20; round += 1) for (const [id, price] of prices) sum += id.charCodeAt(1) + price;
  if (sum < 0) throw new Error('The sum is too large.');
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
