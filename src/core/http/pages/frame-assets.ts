import { readdirSync } from 'node:fs'
import { createAssets } from './assets.ts'
import { pagePrefixes } from './host-prefix.ts'
import { builtPages } from './renderer.ts'

/** Style sheet, icon and build output of `web/`. */
export const frameAssets = createAssets(
  '/assets',
  () => {
    const built = new URL('client/', builtPages)
    return {
      'style.css': new URL('./style.css', import.meta.url),
      'icon.svg': new URL('./icon.svg', import.meta.url),
      ...Object.fromEntries(namesIn(built).map((name) => [name, new URL(name, built)])),
    }
  },
  { prefixes: pagePrefixes },
)

/** The API reference works without them. */
function namesIn(folder: URL): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
