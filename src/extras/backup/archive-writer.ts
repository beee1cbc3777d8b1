import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { systemCode } from '../../core/reason.ts'
import type { Bytes } from './chunks.ts'

export interface ArchiveContents {
  /** One uncompressed line of JSON. */
  readonly header: object
  readonly body: AsyncIterable<string>
  /** Present with a passphrase. */
  readonly encrypted?: ((body: Bytes, headerLine: string) => Bytes) | undefined
  /** Present with a passphrase. */
  readonly macOf?: ((digest: string) => string) | undefined
}

/** A backup under the name of its partial file. */
export interface NewArchive {
  readonly partial: string
  /** Returns SHA-256 and length of the whole file. */
  write(contents: ArchiveContents): Promise<{ readonly sha256: string; readonly bytes: number }>
  /** Flushes to disk. */
  sync(): Promise<void>
  /** Renames the file. @throws Error if another process took the name */
  publish(): Promise<void>
}

export const partialOf = (path: string) => `${path}.partial`

/**
 * Writes a file readable only by its owner: header, compressed body, and a last line with the
 * SHA-256 of everything before. The file gets its name once complete and synced; otherwise the
 * partial file is removed, also at process exit. @throws Error if the file exists
 */
export async function withNewArchive<T>(
  path: string,
  work: (archive: NewArchive) => Promise<T>,
): Promise<T> {
  if (existsSync(path)) throw taken(path)
  const partial = partialOf(path)
  create(partial)
  const leaveNothing = () => rmSync(partial, { force: true })
  process.once('exit', leaveNothing) // signals skip `finally`
  let file: FileHandle | undefined
  try {
    const opened = await open(partial, 'r+')
    file = opened
    return await work({
      partial,
      write: (contents) => write(opened, contents),
      sync: () => opened.sync(),
      async publish() {
        await opened.sync()
        await opened.close()
        await publish(partial, path)
      },
    })
  } finally {
    await file?.close()
    await rm(partial, { force: true })
    process.off('exit', leaveNothing)
  }
}

/** Synchronous, so that the removal at exit is always registered. */
function create(partial: string): void {
  try {
    closeSync(openSync(partial, 'wx', 0o600))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    throw new Error(`${partial} is there: another backup is under way, or was killed; remove it`)
  }
}

async function write(file: FileHandle, contents: ArchiveContents) {
  const { body, macOf, encrypted = (bytes: Bytes) => bytes } = contents
  const headerLine = JSON.stringify(contents.header)
  const hash = createHash('sha256')
  let length = 0
  const append = async (bytes: string | Uint8Array) => {
    hash.update(bytes)
    length += Buffer.byteLength(bytes)
    await file.appendFile(bytes)
  }
  await append(`${headerLine}\n`)
  await pipeline(
    Readable.from(body),
    createGzip({ level: constants.Z_BEST_SPEED }),
    (compressed: Bytes) => encrypted(compressed, headerLine),
    async (bytes: Bytes) => {
      for await (const chunk of bytes) await append(chunk)
    },
  )
  await append('\n')
  const sha256 = hash.copy().digest('hex')
  await append(`${JSON.stringify({ sha256, mac: macOf?.(sha256) })}\n`)
  return { sha256: hash.digest('hex'), bytes: length }
}

async function publish(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw taken(path)
    // Without hard links: rename would overwrite silently.
    if (existsSync(path)) throw taken(path)
    await rename(partial, path)
  }
  const folder = await open(dirname(path))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function taken(path: string): Error {
  return new Error(`${path} is there already: a backup never replaces a file`)
}
