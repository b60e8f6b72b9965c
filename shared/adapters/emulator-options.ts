/** How a gRPC client of Google's SDKs reaches an emulator (`host:port`), without TLS; undefined: the real service. */
export async function emulatorOptions(emulator: string | undefined): Promise<object> {
  if (emulator === undefined) return {};
  const { credentials } = await import('@grpc/grpc-js');
  const [apiEndpoint = '', port = ''] = emulator.split(':');
  return { apiEndpoint, port: Number(port), sslCreds: credentials.createInsecure() };
}
