const maxUriLength = 8192
/** Visible ASCII without a fragment. Two headers that were joined hold a space. */
const uriFormat = /^\/[\x21\x22\x24-\x7e]*$/
const methodFormat = /^[A-Z][A-Z0-9_-]{0,31}$/

/**
 * Whether a method may be judged: a name in upper case. It and `isValidUri` hold for the route and for
 * `gatehouse forward check`.
 */
export function isValidMethod(method: string): boolean {
  return methodFormat.test(method)
}

/**
 * Whether a path and query may be judged. Of the query nothing is asked: browsers send a lone `%` in
 * it as it was typed.
 */
export function isValidUri(uri: string): boolean {
  if (uri.length > maxUriLength || !uriFormat.test(uri)) return false
  if (!uri.includes('%')) return true
  const path = decoded(pathOf(uri))
  return path !== null && !/\p{Cc}/u.test(path)
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

/** The path of an address as it was sent, without its query. */
export function pathOf(uri: string): string {
  const end = uri.indexOf('?')
  return end < 0 ? uri : uri.slice(0, end)
}
