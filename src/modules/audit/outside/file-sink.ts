import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { systemCode } from '../../../core/reason.ts'
import { type Checkpoint, checkpointDigest } from '../checkpoint-form.ts'
import { outsideRecord } from './outside-record.ts'
import type { Item, Sink, SinkOffset } from './sink.ts'
import { jsonText } from './syslog-format.ts'

export interface FileSinkOptions {
  readonly name: string
  readonly path: string
  /** Otherwise the file starts with all existing checkpoints. */
  readonly takesRecords: boolean
  /** Another process could be writing the unfinished line. */
  readonly mayRepair: boolean
}

/** About 100 bytes per grown chain. */
export const maxLineBytes = 16_777_216

const blockBytes = 65_536
const newline = 10
const appending = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT

/**
 * JSON Lines: `{"record": ...}` and `{"checkpoint": ...}`. Opened for each batch, so the file can
 * be moved; synced before the batch counts as delivered. The last checkpoint is the offset.
 */
export function fileSink({ name, path, takesRecords, mayRepair }: FileSinkOptions): Sink {
  return {
    name,
    takesRecords,
    fromTheBeginning: !takesRecords,

    async offset() {
      let file: FileHandle
      try {
        file = await openFile(path, constants.O_RDONLY)
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return null
        throw error
      }
      try {
        return await lastOffset(file)
      } finally {
        await file.close()
      }
    },

    async send(items) {
      const file = await openFile(path, appending)
      try {
        const bytes = Buffer.from(items.map(lineOf).join(''))
        const start = await endLastLine(file, mayRepair)
        const { bytesWritten } = await file.write(Buffer.concat([start, bytes]))
        if (bytesWritten < start.length + bytes.length) throw new Error(`${path}: the disk is full`)
        await file.datasync()
      } finally {
        await file.close()
      }
    },

    arrived: async () => {},
  }
}

/** ASCII. */
export function lineOf(item: Item): string {
  const sent = 'record' in item ? { record: outsideRecord(item.record) } : item
  return `${jsonText(sent)}\n`
}

/** Null if the line holds no checkpoint. */
export function checkpointOfLine(line: string): Checkpoint | null {
  const begin = line.indexOf('{') // skips a syslog header
  let parsed: { checkpoint?: Partial<Checkpoint> } | null
  try {
    parsed = JSON.parse(begin > 0 ? line.slice(begin) : line)
  } catch {
    return null
  }
  const read = parsed?.checkpoint
  if (typeof read !== 'object' || read === null) return null
  const { number, at, previous, heads, records, key_id, signature } = read
  const numbers = [number, at, records].every(Number.isSafeInteger)
  const texts = [previous, heads, key_id, signature].every((text) => typeof text === 'string')
  if (!numbers || !texts) return null
  return { number, at, previous, heads, records, key_id, signature } as Checkpoint // checked above
}

async function openFile(path: string, flags: number): Promise<FileHandle> {
  // A pipe without a reader would block a thread forever.
  const file = await open(path, flags | constants.O_NONBLOCK, 0o600)
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new Error(`${path} is no file`)
}

/** Returns the text to write before the next line. */
async function endLastLine(file: FileHandle, mayRepair: boolean): Promise<Buffer> {
  const { size } = await file.stat()
  const whole = await endOfWholeLines(file, size)
  if (whole === size) return Buffer.alloc(0)
  if (!mayRepair) return Buffer.from('\n')
  try {
    await file.truncate(whole)
    return Buffer.alloc(0)
  } catch (error) {
    // An append-only file (chattr +a) keeps the unfinished line.
    if (systemCode(error) === 'EPERM') return Buffer.from('\n')
    throw error
  }
}

async function endOfWholeLines(file: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockBytes)
    const block = await blockOf(file, start, end)
    const at = block.lastIndexOf(newline)
    if (at >= 0) return start + at + 1
    end = start
  }
  return 0
}

/** Searches backwards for the last checkpoint; skips oversized lines. */
async function lastOffset(file: FileHandle): Promise<SinkOffset | null> {
  let end = await endOfWholeLines(file, (await file.stat()).size)
  let rest: Buffer[] = []
  let restBytes = 0
  while (end > 0) {
    const start = Math.max(0, end - blockBytes)
    const block = await blockOf(file, start, end)
    end = start
    // The block may begin inside a line.
    const first = start === 0 ? 0 : block.indexOf(newline) + 1
    if (start === 0 || first > 0) {
      const isTooLong = restBytes > maxLineBytes
      const lines = Buffer.concat([block.subarray(first), ...(isTooLong ? [] : rest)])
        .toString()
        .split('\n')
      if (isTooLong) lines.pop() // truncated
      for (const line of lines.reverse()) {
        const checkpoint = checkpointOfLine(line)
        if (checkpoint) return { number: checkpoint.number, digest: checkpointDigest(checkpoint) }
      }
      rest = []
      restBytes = 0
    }
    const begun = first > 0 ? block.subarray(0, first) : block
    restBytes += begun.length
    rest = restBytes > maxLineBytes ? [] : [begun, ...rest]
  }
  return null
}

async function blockOf(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const block = Buffer.alloc(end - start)
  const { bytesRead } = await file.read(block, 0, block.length, start)
  return block.subarray(0, bytesRead)
}
