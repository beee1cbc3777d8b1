import { equalInConstantTime, keyedDigest } from '../../crypto/digest.ts'
import { channelOf } from './notification.ts'

/** A round of a node: as a question, or as the confirmation of another node. */
export interface NodeRound {
  readonly node: string
  readonly number: number
}

export interface NodeMessages {
  useKey(key: Uint8Array): void
  /** Null without a key. */
  question(number: number): string | null
  /** The question of another node; null for any other text. */
  asked(payload: string): NodeRound | null
  /** The channel and the text. */
  confirmation(question: NodeRound): readonly [channel: string, payload: string]
  /** The node that has confirmed, and the round of this node; null for any other text. */
  confirmed(payload: string): NodeRound | null
}

const idFormat = /^[A-Za-z0-9_-]{22}$/

/**
 * The messages between nodes. Any role may notify, so messages carry a MAC under a key that only
 * nodes know. A replayed message has no effect: ids of nodes and numbers of rounds are used once.
 */
export function createNodeMessages(id: string): NodeMessages {
  let key: Uint8Array | undefined
  const macOf = (...parts: readonly string[]) => (key ? keyedDigest(key, parts.join(' ')) : '')

  return {
    useKey(given) {
      key = given
    },

    question(number) {
      return key ? `${id} ${number} ${macOf('end', id, String(number))}` : null
    },

    asked(payload) {
      const [node = '', number = '', mac] = payload.split(' ', 3)
      if (node === id || !idFormat.test(node)) return null
      const isGenuine = equalInConstantTime(mac, macOf('end', node, number))
      return isGenuine ? { node, number: Number(number) } : null
    },

    confirmation({ node, number }) {
      return [channelOf(node), `${id} ${number} ${macOf(id, node, String(number))}`]
    },

    confirmed(payload) {
      const [node = '', number = '', mac] = payload.split(' ', 3)
      const isGenuine = equalInConstantTime(mac, macOf(node, id, number))
      return isGenuine ? { node, number: Number(number) } : null
    },
  }
}
