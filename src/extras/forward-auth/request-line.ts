const maxUriLength = 8192
/** Visible ASCII without a fragment; joined headers would contain a space. */
const uriFormat = /^\/[\x21\x22\x24-\x7e]*$/
const methodFormat = /^[A-Z][A-Z0-9_-]{0,31}$/

/** Shared with `gatehouse forward check`. */
export function isValidMethod(method: string): boolean {
  return methodFormat.test(method)
}

/** Any query: browsers send a lone `%` there as typed. */
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

export function pathOf(uri: string): string {
  const end = uri.indexOf('?')
  return end < 0 ? uri : uri.slice(0, end)
}
