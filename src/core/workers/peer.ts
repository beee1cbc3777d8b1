/** Questions by topic, one answer each, as JSON. */
export interface Peer {
  /** Undefined if the other process is gone. @throws Error of the other process */
  ask(topic: string, data?: unknown): Promise<unknown>
  receive(message: unknown): void
  /** The other process is gone: pending questions resolve. */
  close(): void
}

/** Errors reach the asker as text. */
export type Answerer = (topic: string, data: unknown) => unknown

type Message =
  | { readonly id: number; readonly topic: string; readonly data?: unknown }
  | { readonly re: number; readonly value?: unknown; readonly error?: string }

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** `send` must not throw, even if the channel is closed. */
export function createPeer(send: (message: unknown) => void, answer: Answerer): Peer {
  const waiting = new Map<number, Waiting>()
  let asked = 0
  let isClosed = false

  return {
    ask(topic, data) {
      if (isClosed) return Promise.resolve(undefined)
      asked += 1
      const id = asked
      const answered = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, { resolve, reject })
      })
      send({ id, topic, data })
      return answered
    },

    receive(message) {
      const received = message as Message
      if ('topic' in received) {
        void reply(received.id, received.topic, received.data)
        return
      }
      const waiter = waiting.get(received.re)
      waiting.delete(received.re)
      if (received.error === undefined) waiter?.resolve(received.value)
      else waiter?.reject(new Error(received.error))
    },

    close() {
      isClosed = true
      for (const { resolve } of waiting.values()) resolve(undefined)
      waiting.clear()
    },
  }

  async function reply(id: number, topic: string, data: unknown): Promise<void> {
    try {
      send({ re: id, value: await answer(topic, data) })
    } catch (error) {
      send({ re: id, error: error instanceof Error ? error.message : String(error) })
    }
  }
}
