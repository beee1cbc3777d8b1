import { isIP } from 'node:net'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** @throws Error */
export function parseListenAddress(text: string): ListenAddress {
  const [, inBrackets, name, digits] = /^(?:\[([^\]]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? []
  const host = inBrackets ?? name
  const port = Number(digits)
  const isHost =
    inBrackets === undefined
      ? host === 'localhost' || isIP(host ?? '') === 4
      : isIP(inBrackets) === 6
  if (host === undefined || !isHost || port > 65_535) {
    throw new Error('must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464')
  }
  return { host, port }
}
