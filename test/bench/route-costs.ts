/** What a million records cost by a route: from what some of them took. */
import type { Consumption } from './list-prices';
import { priceOf } from './list-prices';
import type { Table } from './suite';

export interface RouteCost {
  readonly route: string;
  readonly by: 'service' | 'peer';
  /** Of a million records. */
  readonly consumption: Consumption;
}

export const MILLION = 1_000_000;

/** From the consumption of some records to that of a million. */
export function ofAMillion(
  { reads, writes, deletes, refused, messages, cpuSeconds, instanceSeconds, requests }: Consumption,
  records: number,
): Consumption {
  const factor = MILLION / records;
  return {
    reads: reads * factor,
    writes: writes * factor,
    deletes: deletes * factor,
    refused: refused * factor,
    messages: messages * factor,
    cpuSeconds: cpuSeconds * factor,
    instanceSeconds: instanceSeconds * factor,
    requests: requests * factor,
  };
}

export function costTable(costs: readonly RouteCost[]): Table {
  return {
    title: 'A million records, in US dollars',
    columns: [
      'route',
      'by',
      'reads',
      'writes',
      'deletes',
      'refused writes',
      'messages',
      'CPU s',
      'instance s',
      'requests',
      '$',
    ],
    rows: costs.map(({ route, by, consumption }) => [
      route,
      by,
      consumption.reads,
      consumption.writes,
      consumption.deletes,
      consumption.refused,
      consumption.messages,
      consumption.cpuSeconds,
      consumption.instanceSeconds,
      consumption.requests,
      priceOf(consumption).toFixed(2),
    ]),
  };
}
