import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** What a stall holds back: what a client sends, or what it should be told. */
export type Held = 'requests' | 'answers';

/**
 * Stands between clients and an emulator, and can stall as a process does that is stopped: connections stay open, new
 * ones are taken, and nothing arrives until it goes on; then everything does.
 */
export class StallingProxy {
  private readonly sources: Readonly<Record<Held, Set<Socket>>> = { requests: new Set(), answers: new Set() };
  private held: Held | undefined;

  private constructor(private readonly server: Server) {}

  /** @param target the emulator, `host:port`. */
  static async start(target: string): Promise<StallingProxy> {
    const [host = '', port] = target.split(':');
    const server = createServer();
    const proxy = new StallingProxy(server);
    server.on('connection', (client) => {
      const emulator = connect(Number(port), host);
      proxy.forward('requests', client, emulator);
      proxy.forward('answers', emulator, client);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stall(held: Held): void {
    this.held = held;
    for (const source of this.sources[held]) source.pause();
  }

  goOn(): void {
    if (this.held) for (const source of this.sources[this.held]) source.resume();
    this.held = undefined;
  }

  async stop(): Promise<void> {
    for (const source of [...this.sources.requests, ...this.sources.answers]) source.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forward(direction: Held, source: Socket, to: Socket): void {
    const sources = this.sources[direction];
    sources.add(source);
    source.setNoDelay(true);
    source.on('data', (chunk) => to.write(chunk));
    source.on('error', () => to.destroy());
    source.on('close', () => {
      sources.delete(source);
      to.destroy();
    });
    if (this.held === direction) source.pause();
  }
}
