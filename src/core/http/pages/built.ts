import { existsSync } from 'node:fs'
import { builtPages } from './renderer.ts'

/** A start warning if `web/` was not built: pages fail, the API works. */
export function warningOfPages(built: URL = builtPages): string | null {
  if (existsSync(new URL('server/server.js', built))) return null
  return 'the pages for people are not built, and cannot be shown: run npm ci, or node tools/build-web.ts'
}
