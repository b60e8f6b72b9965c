/** What to say of an error for lack of (valid) application default credentials; undefined: it is another error. */
export function explainCredentials(message: string): string | undefined {
  if (!/default credentials|invalid_grant/.test(message)) return undefined;
  return 'There are no credentials for the project, or they have ended. Get some with gcloud auth application-default login.';
}
