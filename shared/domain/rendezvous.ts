import { hash } from 'node:crypto';

/**
 * The nodes in the order in which a key prefers them (rendezvous hashing). It depends on nothing but the key and the
 * names: a further node takes its place in the order, and the others keep theirs. Keys spread evenly over the nodes.
 */
export function rendezvousOrder(key: string, nodes: readonly string[]): string[] {
  const ranked = nodes.map((node) => ({ node, rank: hash('sha256', `${node}\0${key}`, 'hex') }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ node }) => node);
}
