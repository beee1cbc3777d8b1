import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { SinkPlace } from './sink.ts'
import type { KeptPlaces } from './syslog-sink.ts'

/**
 * Keeps the places of sinks in a file of this node. It decides only where sending goes on: without
 * it, some things are sent twice.
 */
export function keptPlaces(path: string): KeptPlaces {
  let writing: Promise<unknown> = Promise.resolve()
  return {
    get: async (name) => (await read(path))[name] ?? null,
    set(name, place) {
      const written = writing.then(async () => {
        const places = { ...(await read(path)), [name]: place }
        const draft = `${path}.${process.pid}`
        try {
          await writeFile(draft, `${JSON.stringify(places)}\n`, { mode: 0o600 })
          await rename(draft, path)
        } finally {
          await rm(draft, { force: true })
        }
      })
      writing = written.catch(() => {})
      return written
    },
  }
}

async function read(path: string): Promise<Readonly<Record<string, SinkPlace>>> {
  try {
    const places: unknown = JSON.parse(await readFile(path, 'utf8'))
    const isWhole = typeof places === 'object' && places !== null
    return isWhole ? (places as Record<string, SinkPlace>) : {} // written by `set`
  } catch {
    return {} // missing, or cut by a full disk
  }
}
