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

const loading = new Map<string, Promise<Renderer>>()

/** Lazy: many processes show no page. @throws Error with instructions if `web/` was not built */
export function loadRenderer(built = builtPages): Promise<Renderer> {
  const { href } = new URL('server/server.js', built)
  const known = loading.get(href)
  if (known) return known
  const renderer: Promise<Renderer> = import(href).catch((cause: unknown) => {
    loading.delete(href)
    throw new Error('the pages are not built: run npm ci, or node tools/build-web.ts', { cause })
  })
  loading.set(href, renderer)
  return renderer
}
