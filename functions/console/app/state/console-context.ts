import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Door, Session } from '../api/door';
import type { Address, Query } from './address';
import type { PageName } from '../../pages';
import { toLink, valueOf } from './address';

/** What every page works with. */
export interface ConsoleState {
  readonly door: Door;
  readonly session: Session;
  readonly address: Address;
}

export const ConsoleContext = createContext<ConsoleState | undefined>(undefined);

/** @throws Error outside of a session */
export function useConsole(): ConsoleState {
  const state = useContext(ConsoleContext);
  if (!state) throw new Error('There is no session.');
  return state;
}

/** The chosen tenant. Only for pages that are shown when one is chosen. */
export function useTenant(): string {
  const { address } = useConsole();
  return valueOf(address, 'tenant') ?? '';
}

/** Makes links that keep the tenant. */
export function useLink(): (page: PageName, id?: string, query?: Query) => string {
  const tenant = useTenant();
  return (page, id, query = {}) => toLink(page, id, { tenant, ...query });
}
