/**
 * The options with which a gRPC client of Google's SDKs reaches an emulator, without TLS.
 * @param emulator `host:port`; undefined: the real service, which needs no options
 */
export async function emulatorOptions(emulator: string | undefined): Promise<object> {
  if (emulator === undefined) return {};
  const { credentials } = await import('@grpc/grpc-js');
  const [apiEndpoint = '', port = ''] = emulator.split(':');
  return { apiEndpoint, port: Number(port), sslCreds: credentials.createInsecure() };
}
