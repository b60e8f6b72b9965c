/** Writes lines for people: with colours and a moving status line on a terminal, plain lines elsewhere. */

export type Colour = 'green' | 'red' | 'bold' | 'dim';

const CODES: Readonly<Record<Colour, string>> = { green: '32', red: '31', bold: '1', dim: '2' };
const CLEAR_LINE = '\r\u001b[K';
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const FRAME_MS = 100;

export class Terminal {
  private status: string | undefined;
  private frame = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly isTerminal: boolean;
  private readonly hasColours: boolean;

  constructor(
    private readonly stream: NodeJS.WriteStream,
    env: NodeJS.ProcessEnv,
  ) {
    this.isTerminal = stream.isTTY && env.TERM !== 'dumb';
    this.hasColours = this.isTerminal && !env.NO_COLOR;
  }

  line(text = ''): void {
    this.stream.write(`${this.isTerminal ? CLEAR_LINE : ''}${text}\n`);
    this.draw();
  }

  /** What is being done now; undefined: nothing. Only a terminal shows it. */
  progress(status: string | undefined): void {
    if (!this.isTerminal) return;
    this.status = status;
    if (status === undefined) {
      clearInterval(this.timer);
      this.timer = undefined;
      this.stream.write(CLEAR_LINE);
    } else {
      this.timer ??= setInterval(() => this.draw(), FRAME_MS);
      this.draw();
    }
  }

  colour(text: string, colour: Colour): string {
    return this.hasColours ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
  }

  private draw(): void {
    if (this.status === undefined) return;
    this.frame = (this.frame + 1) % FRAMES.length;
    const text = `${FRAMES.charAt(this.frame)} ${this.status}…`.slice(0, (this.stream.columns || 80) - 1);
    this.stream.write(CLEAR_LINE + this.colour(text, 'dim'));
  }
}
