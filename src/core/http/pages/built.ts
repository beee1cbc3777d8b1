import { existsSync } from 'node:fs'
import { builtPages } from './renderer.ts'

/**
 * What the start warns of if `web/` was not built: each page would be a failure then, while the API
 * goes on. @param built the folder of what was built
 */
export function warningOfPages(built: URL = builtPages): string | null {
  if (existsSync(new URL('server/server.js', built))) return null
  return 'the pages for people are not built, and cannot be shown: run npm ci, or node tools/build-web.ts'
}
