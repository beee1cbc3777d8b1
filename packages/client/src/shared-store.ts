import type { Store, Tokens } from './stores.ts'

// As much of IndexedDB as the store needs: the compiler of a program for Node does not know it.
interface Asked<Result> {
  readonly result: Result
  readonly error: unknown
  onsuccess: (() => void) | null
  onerror: (() => void) | null
}
interface Rows {
  get(key: string): Asked<Tokens | undefined>
  put(value: Tokens, key: string): unknown
  delete(key: string): unknown
}
interface Transaction {
  readonly error: unknown
  oncomplete: (() => void) | null
  onabort: (() => void) | null
  objectStore(name: string): Rows
}
interface Database {
  createObjectStore(name: string): unknown
  transaction(name: string, mode: 'readonly' | 'readwrite'): Transaction
  onclose: (() => void) | null
}
interface Opening extends Asked<Database> {
  onupgradeneeded: (() => void) | null
}
interface Factory {
  open(name: string, version: number): Opening
}

const [table, key] = ['tokens', 'tokens']

/**
 * In IndexedDB, for all tabs of the origin. What a tab has written, each other tab reads from then
 * on; of `localStorage` a tab may still read what was there before.
 */
export function sharedStore(name = 'gatehouse'): Store {
  let opened: Promise<Database> | null = null

  async function open(): Promise<Database> {
    const { indexedDB } = globalThis as unknown as { readonly indexedDB: Factory }
    const asked = indexedDB.open(name, 1)
    asked.onupgradeneeded = () => asked.result.createObjectStore(table)
    const database = await answerOf(asked)
    database.onclose = () => {
      opened = null
    }
    return database
  }

  async function transaction(mode: 'readonly' | 'readwrite'): Promise<Transaction> {
    opened ??= open()
    return (await opened).transaction(table, mode)
  }

  return {
    lock: name,
    async read() {
      const rows = (await transaction('readonly')).objectStore(table)
      return (await answerOf(rows.get(key))) ?? null
    },
    async write(tokens) {
      const changing = await transaction('readwrite')
      const rows = changing.objectStore(table)
      if (tokens) rows.put(tokens, key)
      else rows.delete(key)
      await new Promise<void>((resolve, reject) => {
        changing.oncomplete = () => resolve()
        changing.onabort = () => reject(changing.error)
      })
    },
  }
}

function answerOf<Result>(asked: Asked<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result)
    asked.onerror = () => reject(asked.error)
  })
}
