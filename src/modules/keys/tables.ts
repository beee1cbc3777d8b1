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
  /** The key, encrypted under the master key: AES-256-GCM, base64url. */
  sealed: string
  created_at: number
  /** Until when a replaced key verifies; null for the current key. */
  retired_at: number | null
  /** What the key is for, which `purpose` alone does not say; null if version 0.2.0 made it. */
  usage: 'signing' | 'refresh' | 'data' | null
  /** From when it signs; null: as soon as every node knows it. */
  signs_from: number | null
}

/** Rotations of the master key, finished or not. */
interface MasterKeyTurnsTable {
  id: string
  /** The short names of the two keys. */
  key_before: string
  key_next: string
  asked_at: number
  /** Null while it is only asked who knows the next key. */
  turned_at: number | null
}

/** What a process knows of the next master key of a rotation. */
interface MasterKeyNodesTable {
  turn: string
  /** Host and process. */
  instance: string
  /** 1: it knows the key. */
  knows: number
  at: number
}
