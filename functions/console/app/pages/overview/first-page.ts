/** The first elements of a list, as many as one page has: no other page is asked for. */
export async function takeFirst<T>(list: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  for await (const item of list) if (taken.push(item) === count) break;
  return taken;
}
