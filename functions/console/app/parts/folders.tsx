import { TEXTS } from '../texts';

/** The folders that are read. */
export function Folders({ paths }: { readonly paths: readonly string[] }) {
  if (paths.length === 0) return <>{TEXTS.transfers.wholeBucket}</>;
  return (
    <ul class="plain">
      {paths.map((path) => (
        <li key={path}>
          <code>{path}</code>
        </li>
      ))}
    </ul>
  );
}
