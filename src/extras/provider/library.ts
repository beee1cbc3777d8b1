export type Library = typeof import('oidc-provider')

let loading: Promise<Library> | undefined

/**
 * Loads the library, which takes 24 MB: only with PROVIDER=on. It prints a warning about each
 * version of Node that is no LTS; our log has JSON Lines alone.
 */
export function loadLibrary(): Promise<Library> {
  loading ??= withoutWarnings(() => import('oidc-provider'))
  return loading
}

async function withoutWarnings<T>(load: () => Promise<T>): Promise<T> {
  const { console: printer } = globalThis
  const print = printer.warn
  printer.warn = (...words: unknown[]) => {
    if (!String(words[0]).includes('oidc-provider')) print(...words)
  }
  try {
    return await load()
  } finally {
    printer.warn = print
  }
}
