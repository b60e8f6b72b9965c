/**
 * The functions run in the demo's process and write their logs, one JSON object a line, to its stderr. Only errors
 * belong into the demo's account.
 */
export function dropOrdinaryLogs(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (...args: unknown[]) => {
    const [text] = args;
    if (typeof text === 'string' && /^\{"severity":"(INFO|WARNING)"/.test(text)) return true;
    return write(...args);
  };
}
