import { readdirSync } from 'node:fs'
import { type Assets, createAssets } from './assets.ts'
import { pagePrefixes } from './host-prefix.ts'

/** Style sheet, icon and build output of `web/`. */
export function frameAssetsIn(built: URL): Assets {
  const client = new URL('client/', built)
  return createAssets(
    '/assets',
    () => ({
      'style.css': new URL('./style.css', import.meta.url),
      'icon.svg': new URL('./icon.svg', import.meta.url),
      ...Object.fromEntries(namesIn(client).map((name) => [name, new URL(name, client)])),
    }),
    { prefixes: pagePrefixes },
  )
}

/** The API reference works without them. */
function namesIn(folder: URL): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
