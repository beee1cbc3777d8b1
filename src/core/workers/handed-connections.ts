import type { Worker } from 'node:cluster'

/**
 * Returns a function that closes connections not accepted by a dead worker: Node forgets such
 * connections, and clients would wait forever.
 */
export function handedTo({ process: child }: Worker): () => void {
  const handed = new Map<unknown, { close(): void }>()
  const send = child.send.bind(child) as (...sent: unknown[]) => boolean
  child.send = (...sent: unknown[]) => {
    const [message, handle] = sent as [{ act?: string; seq?: number }, { close(): void }?]
    if (message.act === 'newconn' && handle) handed.set(message.seq, handle)
    return send(...sent)
  }
  child.on('internalMessage', ({ ack }: { ack?: number }) => void handed.delete(ack))
  return () => {
    for (const handle of handed.values()) handle.close()
  }
}
