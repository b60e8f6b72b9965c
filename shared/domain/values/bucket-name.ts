const COMPONENT = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/;
const IP_ADDRESS = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/** True for a name that Cloud Storage accepts for a bucket (D-57). It is checked before any call uses the name. */
export function isBucketName(name: string): boolean {
  return (
    name.length >= 3 &&
    name.length <= 222 && // with dots; each component has at most 63
    name.split('.').every((component) => COMPONENT.test(component)) &&
    !IP_ADDRESS.test(name) &&
    !name.startsWith('goog') &&
    !/g[o0]{2}gle/.test(name)
  );
}
