import { join } from 'node:path';
import type { Assets } from '../../shared/http/assets/asset';
import { makeAssets } from './site/make-assets';

let made: Assets | undefined;

/**
 * The files that the function serves. The build replaces this module by one that holds them
 * (`functions/build/generated-assets.ts`). Anywhere else they are made of the sources at the first request.
 */
export function assets(): Assets {
  return (made ??= makeAssets(join(__dirname, '../..')));
}
