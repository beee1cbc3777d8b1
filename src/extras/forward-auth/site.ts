export interface Site {
  readonly scheme: 'http' | 'https'
  /** With the port unless default. */
  readonly host: string
  readonly hostname: string
  readonly origin: string
}

const maxLength = 260 // 253 of a name with a final dot, and a port
const format = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/
const ownPorts = { http: '80', https: '443' } as const

/**
 * Null for spellings that a browser would normalize, such as `0x7f.1` or `[::0:1]`: rules use
 * browser spelling.
 */
export function parseSite(scheme: Site['scheme'], text: string): Site | null {
  if (text.length > maxLength) return null
  const [, name, port] = format.exec(text) ?? []
  if (name === undefined) return null
  const plain = name.toLowerCase().replace(/\.$/, '')
  const host = port === undefined || port === ownPorts[scheme] ? plain : `${plain}:${port}`
  const origin = `${scheme}://${host}`
  const url = URL.parse(origin)
  if (url?.host !== host || plain.split('.').includes('')) return null
  return { scheme, host, hostname: plain, origin }
}
