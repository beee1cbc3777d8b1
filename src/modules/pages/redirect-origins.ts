import { isLoopback } from '../../core/addresses/loopback.ts'

/**
 * https, or http on a loopback address, exactly as a browser writes the origin. @throws Error with
 * a readable message
 */
export function parseReturnOrigin(item: string): string {
  const url = URL.parse(item)
  if (!url || url.origin !== item || item.includes('*')) {
    throw new Error(`holds ${JSON.stringify(item)}, which is not an origin`)
  }
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (!isSafe) throw new Error(`holds ${JSON.stringify(item)}, which must be https`)
  return item
}
