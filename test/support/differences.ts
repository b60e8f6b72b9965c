/** What is not as it should be, as a text that names it; none where it is. Both are compared as JSON. */
export function differences(what: string, actual: unknown, expected: unknown): string[] {
  const [is, shouldBe] = [JSON.stringify(actual), JSON.stringify(expected)];
  return is === shouldBe ? [] : [`${what}: ${is}, not ${shouldBe}`];
}
