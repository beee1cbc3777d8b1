import { useRef } from 'preact/hooks'

/**
 * Makes the function that answers the Idempotency-Key of a body: the same one for the same body, so
 * that a body that is sent again after a lost answer makes nothing twice.
 */
export function useIdempotencyKey(): (body: object) => string {
  const last = useRef({ text: '', key: '' })
  return (body) => {
    const text = JSON.stringify(body)
    if (last.current.text !== text) last.current = { text, key: randomKey() }
    return last.current.key
  }
}

/** Not crypto.randomUUID, which is absent over plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
