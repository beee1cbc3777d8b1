import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Config } from '../../../core/config/load.ts'
import { fileSink } from './file-sink.ts'
import type { Sink, SinkOffset } from './sink.ts'
import type { SinkOffsets } from './syslog-sink.ts'
import { syslogSink } from './syslog-sink.ts'

export function sinksOf(
  { checkpointsFile, sinks }: Pick<Config['audit'], 'checkpointsFile' | 'sinks'>,
  { offsetsPath, mayRepair }: { readonly offsetsPath: string; readonly mayRepair: boolean },
): Sink[] {
  const offsets = sinkOffsets(offsetsPath)
  return [
    fileSink({
      name: `file:${checkpointsFile}`,
      path: checkpointsFile,
      takesRecords: false,
      mayRepair,
    }),
    ...sinks.map((address) =>
      address.kind === 'file'
        ? fileSink({ ...address, takesRecords: true, mayRepair })
        : syslogSink({ address, offsets }),
    ),
  ]
}

/** A local file. If lost, some items are sent twice. */
export function sinkOffsets(path: string): SinkOffsets {
  let writing: Promise<unknown> = Promise.resolve()
  return {
    get: async (name) => (await read(path))[name] ?? null,
    set(name, offset) {
      const written = writing.then(async () => {
        const offsets = { ...(await read(path)), [name]: offset }
        const draft = `${path}.${process.pid}`
        try {
          await writeFile(draft, `${JSON.stringify(offsets)}\n`, { mode: 0o600 })
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

async function read(path: string): Promise<Readonly<Record<string, SinkOffset>>> {
  try {
    const offsets: unknown = JSON.parse(await readFile(path, 'utf8'))
    const isIntact = typeof offsets === 'object' && offsets !== null
    return isIntact ? (offsets as Record<string, SinkOffset>) : {} // written by `set`
  } catch {
    return {} // missing or truncated
  }
}
