/**
 * Serves the reference from memory, without a key and without the database. What it sends was made and compressed by
 * the build (`site/`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Assets } from '../../shared/http/assets/asset';
import { sendText, serveAsset } from '../../shared/http/assets/serve-asset';
import { rawUrl } from '../../shared/http/raw-request';
import { parseTarget } from '../../shared/http/request-target';

const NOT_FOUND =
  'There is no such page. The API reference is at /docs, its document at /docs/openapi.json and /docs/openapi.yaml.\n';
const NOT_ALLOWED = 'The reference can only be read: please use GET or HEAD.\n';

/**
 * Makes the handler of the function.
 * @param assets is called at each request
 */
export function createDocs(assets: () => Assets): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const asset = assets().get(parseTarget(rawUrl(request), 'docs').segments.join('/'));
    if (asset) serveAsset(request, response, asset, NOT_ALLOWED);
    else sendText(response, 404, NOT_FOUND);
  };
}
