import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  { name: 'keys', key: ['id'], namesNone: ['id', 'purpose', 'algorithm', 'sealed', 'usage'] },
  {
    name: 'master_key_turns',
    key: [],
    leftOut: 'a copy is sealed under another master key',
    namesNone: ['id', 'key_before', 'key_next'],
  },
  {
    name: 'master_key_nodes',
    key: [],
    leftOut: 'it is about running processes',
    namesNone: ['turn', 'instance'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    keys: KeysTable
    master_key_turns: MasterKeyTurnsTable
    master_key_nodes: MasterKeyNodesTable
  }
}

interface KeysTable {
  /** The `kid` of a signing key. */
  id: string
  purpose: 'signing' | 'data'
  algorithm: string
  /** AES-256-GCM under the master key, base64url. */
  sealed: string
  created_at: number
  /** When a replaced key stops verifying; null for the current key. */
  retired_at: number | null
  /** Null for keys that version 0.2.0 made. */
  usage: 'signing' | 'refresh' | 'identity' | 'data' | null
  /** Null: as soon as every node knows the key. */
  signs_from: number | null
}

/** Rotations of the master key, finished or not. */
interface MasterKeyTurnsTable {
  id: string
  /** The short names of the two keys. */
  key_before: string
  key_next: string
  asked_at: number
  /** Null while the nodes are still asked. */
  turned_at: number | null
}

/** Whether a process knows the next master key. */
interface MasterKeyNodesTable {
  turn: string
  /** Host and process. */
  instance: string
  /** 1: the process knows the key. */
  knows: number
  at: number
}
