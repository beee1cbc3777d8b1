import type { Frame } from './frame.ts'
import type { ViewName, Views } from './views.ts'

/** What `npm ci` and `npm run build` make of `web/`. */
export interface Renderer {
  /** Makes the whole text of a page. */
  render<Name extends ViewName>(name: Name, view: Views[Name], frame: Frame): string
  /** Makes the page of the console, which its script fills; `command` calls the command line. */
  renderConsole(frame: Frame, command: string): string
}

/** What was built of `web/`: the same distance from `src/`, from `dist/` and from a bundle. */
export const builtPages = new URL('../../../../web/dist/', import.meta.url)

let loading: Promise<Renderer> | undefined

/**
 * Loads the renderer at the first page: most processes of a test, and many services, show none.
 * @throws Error if `web/` was not built; the message says how to
 */
export function loadRenderer(): Promise<Renderer> {
  loading ??= import(new URL('server/server.js', builtPages).href).catch((cause: unknown) => {
    loading = undefined
    throw new Error('the pages are not built: run npm ci, or node tools/build-web.ts', { cause })
  })
  return loading
}
