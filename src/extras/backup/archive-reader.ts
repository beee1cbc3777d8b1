import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

/** A backup file with a correct checksum. */
export interface Archive {
  readonly header: unknown
  /** Of everything before the last line. */
  readonly sha256: string
  /** Of the whole file, as printed by `sha256sum`. */
  readonly fileSha256: string
  readonly mac: string | undefined
  /** Without line end. */
  readonly headerLine: string
  /** In bytes. */
  readonly size: number
  body(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

const opening = '{"format":"gatehouse-backup",'
const maxHeaderBytes = 1024 * 1024
const lastLine = /\n\{"sha256":"([0-9a-f]{64})"(?:,"mac":"([0-9a-f]{64})")?\}\n$/
const longestLastLine = 256

/**
 * Verifies the digest before any use. The file stays open: a replacement under its name is not
 * read. @throws Error for other or damaged files
 */
export async function openArchive(path: string): Promise<Archive> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const head = await readText(file, 0, maxHeaderBytes)
    if (!head.startsWith(opening)) throw new Error(`${path} is no backup of Gatehouse`)
    const headerEnd = head.indexOf('\n')
    const tailStart = Math.max(0, size - longestLastLine)
    const tail = await readText(file, tailStart, longestLastLine)
    const match = lastLine.exec(tail)
    const bodyEnd = tailStart + (match?.index ?? 0)
    const [, sha256 = '', mac] = match ?? []
    const hash = await hashOf(file, bodyEnd + 1)
    if (!match || headerEnd === -1 || hash.copy().digest('hex') !== sha256) {
      throw new Error(`${path} is damaged or not whole: its checksum is wrong`)
    }
    const headerLine = Buffer.from(head.slice(0, headerEnd), 'latin1').toString()
    return {
      header: JSON.parse(headerLine),
      headerLine,
      size,
      sha256,
      fileSha256: hash.update(tail.slice(match.index + 1), 'latin1').digest('hex'),
      mac,
      body: () => bytesOf(file, headerEnd + 1, bodyEnd),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Latin-1: one character per byte. */
async function readText(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position })
  return buffer.toString('latin1', 0, bytesRead)
}

function bytesOf(file: FileHandle, start: number, end: number) {
  return file.createReadStream({ start, end: end - 1, autoClose: false })
}

async function hashOf(file: FileHandle, end: number): Promise<Hash> {
  const hash = createHash('sha256')
  for await (const chunk of bytesOf(file, 0, end)) hash.update(chunk)
  return hash
}
