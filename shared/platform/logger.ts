/** Structured logs in the form that Cloud Logging reads: one JSON object a line on stderr. */

export type Severity = 'INFO' | 'WARNING' | 'ERROR';

/** Details for operators. Never a key, an e-mail, a name or a body: identifiers of the service and counts only. */
export type LogDetails = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Logger {
  log(severity: Severity, message: string, details?: LogDetails): void;
}

/** Writes to stderr. A trace among the details (`Trace`) becomes the platform's fields of one. */
export function createLogger(projectId: string, write: (line: string) => void = writeLine): Logger {
  return {
    log: (severity, message, { spanId, isSampled, ...details } = {}) => {
      const trace = details.traceId && {
        'logging.googleapis.com/trace': `projects/${projectId}/traces/${String(details.traceId)}`,
        'logging.googleapis.com/spanId': spanId,
        'logging.googleapis.com/trace_sampled': isSampled,
      };
      write(JSON.stringify({ severity, message, ...trace, ...details }));
    },
  };
}

function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The log details of an unexpected error: its name, code and stack, and its message cut to 500 characters. */
export function errorDetails(error: unknown): LogDetails {
  if (!(error instanceof Error)) return { error: 'a thrown value that is no Error' };
  const code = (error as { code?: unknown }).code;
  return {
    error: error.name,
    ...((typeof code === 'number' || typeof code === 'string') && { code }),
    reason: error.message.slice(0, 500),
    stack_trace: (error.stack ?? '') // the name by which Error Reporting finds it
      .split('\n')
      .slice(1, 8)
      .join('\n'),
  };
}
