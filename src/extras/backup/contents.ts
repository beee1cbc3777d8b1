import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { ExportedKey } from '../../modules/keys/key-export.ts'
import { type Archive, openArchive } from './archive-reader.ts'
import type { Bytes } from './chunks.ts'
import type { Tables } from './copied-tables.ts'
import { type Dump, withoutSealed } from './dump.ts'
import { createEncryptedKeyBundle } from './encrypted-key-bundle.ts'
import {
  byTable,
  type Description,
  type EncryptedHeader,
  fromLines,
  type OpenHeader,
  parseHeader,
  type SealedDescription,
} from './format.ts'

export interface Opening {
  /** Not called if `unverified`. */
  readonly passphrase: () => Promise<string>
  /** Trusts an unencrypted file without authentication. */
  readonly unverified: boolean
}

/** Read and authenticated as a whole, unless opened unverified. */
export interface Contents {
  readonly description: Description
  /** Empty if unverified. */
  readonly keys: readonly ExportedKey[]
  /** Of the whole file. */
  readonly sha256: string
  readonly size: number
  dump(tables: Tables, options?: { readonly withoutKeys?: boolean }): Dump
  close(): Promise<void>
}

/**
 * Any format version. @throws Error for a damaged or newer file, a wrong passphrase, or a file
 * changed without the passphrase
 */
export async function openContents(path: string, opening: Opening): Promise<Contents> {
  const archive = await openArchive(path)
  try {
    const header = parseHeader(archive.header)
    const opened =
      header.version === 1
        ? await openInTheOpen(archive, header, opening)
        : await openEncrypted(archive, header, opening)
    const { description, keys, body } = opened
    const { fileSha256: sha256, size, close } = archive
    return {
      ...{ description, keys, sha256, size, close },
      dump(tables, { withoutKeys = false } = {}) {
        const batches = fromLines(linesOf(body), tables)
        return {
          schema: description.schema,
          modules: new Map(Object.entries(description.rooms ?? {})),
          counts: byTable(description.counts, description, tables),
          lastIds: byTable(description.last_ids, description, tables),
          batches: withoutKeys ? withoutSealed(batches, tables) : batches,
        }
      },
    }
  } catch (error) {
    await archive.close()
    throw error
  }
}

interface Opened extends Pick<Contents, 'description' | 'keys'> {
  readonly body: Archive['body']
}

/** Version 1. @throws Error if authentication fails and is required */
async function openInTheOpen(
  { sha256, mac, body }: Archive,
  header: OpenHeader,
  { passphrase, unverified }: Opening,
): Promise<Opened> {
  if (unverified) return { description: header, keys: [], body }
  const { keys } = header
  if (!keys) {
    throw new Error(
      'the backup has no keys: restore it --without-keys --unverified, once its SHA-256 is the one ' +
        'that `backup` printed: nothing else tells who wrote it',
    )
  }
  const bundle = await createEncryptedKeyBundle(await passphrase(), keys.salt, 1)
  const opened = bundle.open(keys.sealed) as ExportedKey[] // written by `backup`
  if (!bundle.isMacOf(sha256, mac)) throw changed()
  return { description: header, keys: opened, body }
}

/** Version 2. @throws Error if the passphrase is missing or does not authenticate the file */
async function openEncrypted(
  { sha256, mac, body, headerLine }: Archive,
  { salt, sealed }: EncryptedHeader,
  { passphrase, unverified }: Opening,
): Promise<Opened> {
  if (unverified) {
    throw new Error(
      'the backup is encrypted as a whole: without its passphrase nothing of it can be restored',
    )
  }
  const bundle = await createEncryptedKeyBundle(await passphrase(), salt, 2)
  const { keys, ...description } = bundle.open(sealed) as SealedDescription // written by `backup`
  if (!bundle.isMacOf(sha256, mac)) throw changed()
  return { description, keys, body: () => bundle.decrypted(body(), headerLine) }
}

function changed(): Error {
  return new Error('the backup was changed without knowledge of the passphrase')
}

/** Lazy; without line ends. */
export async function* linesOf(body: () => Bytes): AsyncGenerator<string> {
  // An error of either stream reaches the reader.
  yield* split(pipeline(Readable.from(body()), createGunzip(), () => {}))
}

// node:readline also splits at U+2028, which JSON does not escape.
async function* split(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = ''
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest + decoder.decode() !== '') throw new Error('the last line of the backup has no end')
}
