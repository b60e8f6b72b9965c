import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Notice } from '../parts/notice';
import { Problem } from '../parts/problem';
import { LogPage } from '../pages/log-page';
import { OverviewPage } from '../pages/overview/overview-page';
import { PreviewPage } from '../pages/preview-page';
import { RecordsPage } from '../pages/records/records-page';
import { RunPage } from '../pages/runs/run-page';
import { RunsPage } from '../pages/runs/runs-page';
import { TransfersPage } from '../pages/transfers/transfers-page';
import { Loading } from '../parts/list-end';
import type { PageName } from '../../pages';
import { PAGES } from '../../pages';
import { valueOf } from '../state/address';
import { useConsole, useLink } from '../state/console-context';
import type { Theme } from '../state/theme';
import { chooseTheme, currentTheme, THEMES } from '../state/theme';
import { useAction } from '../state/use-action';
import { useLoaded } from '../state/use-loaded';
import { TEXTS } from '../texts';
import { TenantChooser } from './tenant-chooser';

interface PageRule {
  /** Of these permissions the page needs one; none: it needs none. */
  readonly needs: readonly string[];
  /** What the page shows and does is about the tenant that was chosen; false: it also shows without one. */
  readonly isAboutTenant: boolean;
  /** Who sees it; absent: everybody. */
  readonly isFor?: 'tenants' | 'operators';
  /** Operators see it without a tenant, too: then it is about all of them. */
  readonly isAboutAllToo?: true;
}

const RULES: Readonly<Record<PageName, PageRule>> = {
  overview: { needs: ['records', 'transfers'], isAboutTenant: true, isAboutAllToo: true },
  transfers: { needs: ['transfers'], isAboutTenant: true },
  runs: { needs: ['transfers'], isAboutTenant: true },
  preview: { needs: ['transfers'], isAboutTenant: true },
  records: { needs: ['records'], isAboutTenant: true },
  send: { needs: ['customers', 'products', 'orders'], isAboutTenant: true, isFor: 'tenants' },
  keys: { needs: [], isAboutTenant: false },
  tenants: { needs: [], isAboutTenant: false },
  log: { needs: [], isAboutTenant: false, isFor: 'operators' },
};

/** What is around every page: whom it is for, where one can go, and the page itself. */
export function Frame({ onSignOut }: { readonly onSignOut: () => Promise<void> }) {
  const { session, address } = useConsole();
  const linkTo = useLink();
  const main = useRef<HTMLElement>(null);
  const viewer = session.operator ? 'operators' : 'tenants';
  const isFor = (one: PageName) => (RULES[one].isFor ?? viewer) === viewer;
  const isAllowed = (one: PageName) => isFor(one) && isOneOf(RULES[one].needs, session.permissions);
  const page = address.page ?? PAGES.find(isAllowed) ?? PAGES[0];
  const { needs, isAboutAllToo } = RULES[page];
  const isAboutTenant = RULES[page].isAboutTenant && !(isAboutAllToo && session.operator);
  const tenant = valueOf(address, 'tenant');
  const title = titleOf(page, address.id);
  const place = `${page}/${address.id ?? ''}`;
  const placeBefore = useRef(place);
  useEffect(() => {
    document.title = `${title} · ${TEXTS.title}`;
    // Whoever does not see the page hears where he is.
    if (placeBefore.current !== place) main.current?.focus();
    placeBefore.current = place;
  }, [place]);
  const skip = (event: Event) => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {TEXTS.frame.skip}
      </a>
      <header class="top">
        <span class="product">{TEXTS.title}</span>
        <TenantChooser page={page} isNeeded={isAllowed(page) && isAboutTenant} />
        <Viewer onSignOut={onSignOut} />
      </header>
      <nav aria-label={TEXTS.frame.pages}>
        <ul>
          {PAGES.filter(isAllowed).map((one) => (
            <li key={one}>
              <a href={linkTo(one)} aria-current={one === page ? 'page' : undefined}>
                {TEXTS.pages[one]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <h1>{title}</h1>
        {!isAllowed(page) && (
          <Notice kind="warning">{isFor(page) ? TEXTS.frame.notAllowed(needs) : TEXTS.frame.notFor[viewer]}</Notice>
        )}
        {isAllowed(page) && isAboutTenant && tenant === undefined && <p class="empty">{TEXTS.frame.noTenant}</p>}
        {isAllowed(page) && (!isAboutTenant || tenant !== undefined) && (
          <Page key={`${place} ${tenant ?? ''}`} page={page} id={address.id} />
        )}
      </main>
    </>
  );
}

function titleOf(page: PageName, id: string | undefined): string {
  if (id === undefined) return TEXTS.pages[page];
  return { runs: TEXTS.run.title, tenants: TEXTS.tenantPage.title }[page as string] ?? TEXTS.pages[page];
}

function isOneOf(needed: readonly string[], permissions: readonly string[]): boolean {
  return needed.length === 0 || needed.some((permission) => permissions.includes(permission));
}

function Page({ page, id }: { readonly page: PageName; readonly id: string | undefined }) {
  switch (page) {
    case 'overview':
      return <OverviewPage />;
    case 'transfers':
      return <TransfersPage />;
    case 'runs':
      return id === undefined ? <RunsPage /> : <RunPage runId={id} />;
    case 'preview':
      return <PreviewPage />;
    case 'records':
      return <RecordsPage />;
    case 'send':
      return <LaterPage load={async () => (await import('../pages/send/send-page')).SendPage} />;
    case 'keys':
      return <LaterPage load={async () => (await import('../pages/keys/keys-page')).KeysPage} />;
    case 'tenants':
      return <LaterPage load={async () => (await import('../pages/tenants/tenants-page')).TenantsPage} />;
    case 'log':
      return <LogPage />;
  }
}

/** A page whose code is loaded when it is shown: few look at it, or it brings the readers of files along. */
function LaterPage({ load }: { readonly load: () => Promise<ComponentType> }) {
  const page = useLoaded(async () => ({ Shown: await load() }), []);
  if (!page.value) return page.failure ? <Problem failure={page.failure} onRetry={page.reload} /> : <Loading />;
  const { Shown } = page.value;
  return <Shown />;
}

function Viewer({ onSignOut }: { readonly onSignOut: () => Promise<void> }) {
  const { session } = useConsole();
  const [theme, setTheme] = useState(currentTheme);
  const leaving = useAction(onSignOut);
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  const texts = TEXTS.frame;
  return (
    <div class="viewer">
      <span class="who">
        {session.operator ? texts.operator(session.projectId ?? '') : texts.organization(session.organizationId ?? '')}
      </span>
      <select
        aria-label={texts.colours}
        value={theme}
        onChange={(event) => choose(THEMES.find((one) => one === event.currentTarget.value) ?? 'system')}
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {texts.themes[one]}
          </option>
        ))}
      </select>
      {!session.operator && (
        <button type="button" class="small" aria-disabled={leaving.isBusy} onClick={leaving.run}>
          {texts.signOut}
        </button>
      )}
      <Problem failure={leaving.failure} />
    </div>
  );
}
