import { MAX_BODY_BYTES } from '../contract';
import type { Element } from './element';
import { BRACKETS } from './element';

/** Consecutive elements that are sent in one request, bounded by their count and by the bytes of its body. */
export class Chunk<T> {
  /** The index of its first element in the whole input. */
  readonly start: number;
  /** Let go once they are accounted for. */
  elements: Element<T>[] = [];
  readonly #maxElements: number;
  readonly #keys = new Set<string>();
  #isAboutAny = false;
  #bytes = BRACKETS;

  constructor(start: number, maxElements: number) {
    this.start = start;
    this.#maxElements = maxElements;
  }

  get isEmpty(): boolean {
    return this.elements.length === 0;
  }

  hasRoomFor({ bytes }: Element<T>): boolean {
    const comma = this.isEmpty ? 0 : 1;
    return this.elements.length < this.#maxElements && this.#bytes + comma + bytes <= MAX_BODY_BYTES;
  }

  add(element: Element<T>): void {
    this.#bytes += element.bytes + (this.isEmpty ? 0 : 1);
    this.elements.push(element);
    if (element.keys === undefined) this.#isAboutAny = true;
    else for (const key of element.keys) this.#keys.add(key);
  }

  /** Whether both may have elements about the same record: then they must not be under way at once. */
  mayMeet(other: Chunk<T>): boolean {
    if (this.#isAboutAny || other.#isAboutAny) return true;
    for (const key of this.#keys) if (other.#keys.has(key)) return true;
    return false;
  }
}
