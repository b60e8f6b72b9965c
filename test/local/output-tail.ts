import type { Readable } from 'node:stream';

const KEPT_CHARACTERS = 8_000;

/** Reads all that a process prints, so that it never blocks, and keeps the end of it to explain a failure. */
export class OutputTail {
  private text = '';

  constructor(...streams: readonly Readable[]) {
    for (const stream of streams) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        this.text = (this.text + chunk).slice(-KEPT_CHARACTERS);
      });
    }
  }

  includes(text: string): boolean {
    return this.text.includes(text);
  }

  /** The last line that is not empty, or `no output`. */
  lastLine(): string {
    return this.text.trim().split('\n').at(-1)?.trim() || 'no output';
  }
}
