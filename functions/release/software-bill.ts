import { outputOf } from './programs';

/** What differs from one bill to the next of the same packages. Both are optional in CycloneDX. */
interface Bill {
  serialNumber?: string;
  metadata: { timestamp?: string };
}

/**
 * The packages of the lock file as a software bill of materials (CycloneDX), from npm. Development dependencies are in it,
 * marked as such, because the pages and the client bundle some of them. The same lock file gives the same bytes.
 * @param root the project's folder
 */
export function softwareBill(root: string): Uint8Array {
  const text = outputOf('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], { cwd: root });
  const { serialNumber: _serialNumber, ...bill } = JSON.parse(text) as Bill;
  const { timestamp: _timestamp, ...metadata } = bill.metadata;
  return Buffer.from(`${JSON.stringify({ ...bill, metadata }, null, 2)}\n`);
}
