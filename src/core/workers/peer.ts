import type { Topic } from './topics.ts'

export type Topics<M> = { readonly [T in keyof M]: Topic }

export type AnyTopics = Readonly<Record<string, Topic<[data?: unknown]>>>

/** Questions by topic, one answer each. */
export interface Peer<Theirs extends Topics<Theirs> = AnyTopics> {
  /** Undefined if the other process is gone. @throws Error of the other process */
  ask<T extends keyof Theirs>(
    topic: T,
    ...data: Theirs[T]['data']
  ): Promise<Theirs[T]['answer'] | undefined>
  receive(message: unknown): void
  /** The other process is gone: pending questions resolve. */
  close(): void
}

type Answer<T extends Topic> = T['answer'] | undefined | Promise<T['answer'] | undefined>

/** Errors reach the asker as text. */
export type Answerer<Mine extends Topics<Mine>> = <T extends keyof Mine>(
  topic: T,
  ...data: Mine[T]['data']
) => Answer<Mine[T]>

export type Answers<Mine extends Topics<Mine>> = {
  [T in keyof Mine]: (...data: Mine[T]['data']) => Answer<Mine[T]>
}

interface Question<M extends Topics<M>, T extends keyof M = keyof M> {
  readonly id: number
  readonly topic: T
  readonly data: M[T]['data']
}

interface Reply<M extends Topics<M>> {
  readonly re: number
  readonly value?: M[keyof M]['answer']
  readonly error?: string
}

interface Waiting<M extends Topics<M>> {
  resolve(value: M[keyof M]['answer'] | undefined): void
  reject(error: Error): void
}

/**
 * `send` must not throw, even if the channel is closed. Peers of several names share a channel:
 * each receives all messages, and leaves those of another name.
 */
export function createPeer<
  Theirs extends Topics<Theirs> = AnyTopics,
  Mine extends Topics<Mine> = AnyTopics,
>(send: (message: object) => void, answer: Answerer<Mine>, name?: string): Peer<Theirs> {
  const waiting = new Map<number, Waiting<Theirs>>()
  let asked = 0
  let isClosed = false

  return {
    ask(topic, ...data) {
      if (isClosed) return Promise.resolve(undefined)
      asked += 1
      const id = asked
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send({ name, id, topic, data })
      })
    },

    receive(message) {
      if (!isOurs<Theirs, Mine>(message, name)) return
      if ('topic' in message) {
        void reply(message)
        return
      }
      const waiter = waiting.get(message.re)
      waiting.delete(message.re)
      if (message.error === undefined) waiter?.resolve(message.value)
      else waiter?.reject(new Error(message.error))
    },

    close() {
      isClosed = true
      for (const { resolve } of waiting.values()) resolve(undefined)
      waiting.clear()
    },
  }

  async function reply<T extends keyof Mine>({ id, topic, data }: Question<Mine, T>) {
    try {
      send({ name, re: id, value: await answer(topic, ...data) })
    } catch (error) {
      send({ name, re: id, error: error instanceof Error ? error.message : String(error) })
    }
  }
}

/** Both processes run the same program, so the shape of a message follows from its name. */
function isOurs<Theirs extends Topics<Theirs>, Mine extends Topics<Mine>>(
  message: unknown,
  name: string | undefined,
): message is Question<Mine> | Reply<Theirs> {
  if (typeof message !== 'object' || message === null) return false
  return ('name' in message ? message.name : undefined) === name
}
