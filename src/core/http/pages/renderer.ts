import type { Frame } from './frame.ts'
import type { ViewName, Views } from './views.ts'

/** Build output of `web/`. */
export interface Renderer {
  render<Name extends ViewName>(name: Name, view: Views[Name], frame: Frame): string
  /** Filled by a script. */
  renderConsole(frame: Frame, options: ConsoleOptions): string
}

export interface ConsoleOptions {
  /** The name of the CLI. */
  readonly command: string
  /** Of the request, without its query. */
  readonly path: string
  readonly roles: ReadonlySet<string>
}

/** Same relative path from `src/`, `dist/` and bundles. */
export const builtPages = new URL('../../../../web/dist/', import.meta.url)

let loading: Promise<Renderer> | undefined

/** Lazy: many processes show no page. @throws Error with instructions if `web/` was not built */
export function loadRenderer(): Promise<Renderer> {
  loading ??= import(new URL('server/server.js', builtPages).href).catch((cause: unknown) => {
    loading = undefined
    throw new Error('the pages are not built: run npm ci, or node tools/build-web.ts', { cause })
  })
  return loading
}
