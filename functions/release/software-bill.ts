import { outputOf } from './programs';

/** What differs from one bill to the next of the same packages. */
interface Bill {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string; readonly component: { readonly name: string } };
}

/**
 * The packages of the lock file as a software bill of materials (CycloneDX), from npm. Development dependencies are in
 * it, marked as such, because the pages and the client bundle some of them. The same lock file and version of npm give
 * the same bytes: the serial number and the time, which are optional, are left out.
 * @param root the project's folder
 * @param name of the project, which npm takes from the folder
 */
export function softwareBill(root: string, name: string): Uint8Array {
  const text = outputOf('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], { cwd: root });
  const { serialNumber: _serialNumber, ...bill } = JSON.parse(text) as Bill;
  const { timestamp: _timestamp, component, ...metadata } = bill.metadata;
  const named = { ...bill, metadata: { ...metadata, component: { ...component, name } } };
  return Buffer.from(`${JSON.stringify(named, null, 2)}\n`);
}
