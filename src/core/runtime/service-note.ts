import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config, SettingName } from '../config/load.ts'
import { keyedDigest } from '../crypto/digest.ts'
import { type Random, randomText } from '../crypto/random.ts'
import { Secret } from '../crypto/secret.ts'
import { systemCode } from '../reason.ts'

/**
 * `service-<pid>.json` in the data directory: digests of the settings, so that commands can detect
 * different settings. Removed at exit; notes of killed processes are ignored.
 */
interface ServiceNote {
  readonly pid: number
  /** Machine and start time: process ids are reused. */
  readonly process: string
  readonly salt: string
  readonly settings: Readonly<Record<string, string>>
}

export interface NoteOptions {
  readonly config: Pick<Config, 'baseUrl' | 'database' | 'ofModules'>
  readonly env: Readonly<Record<string, string | undefined>>
}

const fileName = /^service-[1-9][0-9]*\.json$/
const saltBytes = 16
/** Characters: shows a difference, but cannot confirm a guess. */
const digestLength = 6

/** Skipped without a writable data directory; returns the removal. */
export function leaveServiceNote(
  options: NoteOptions,
  random: Random,
  pid = process.pid,
): () => void {
  const { dataDirectory } = options.config.database
  const path = join(dataDirectory, `service-${pid}.json`)
  const salt = randomText(random, saltBytes)
  const note: ServiceNote = {
    pid,
    process: processOf(pid),
    salt,
    settings: Object.fromEntries(digests(options, salt)),
  }
  const remove = () => {
    try {
      rmSync(path, { force: true })
    } catch {} // read-only directory: the stale note is ignored
  }
  try {
    for (const { path: stale, isRunning } of notesIn(dataDirectory)) if (!isRunning) rmSync(stale)
    writeFileSync(path, `${JSON.stringify(note)}\n`, { flag: 'wx', mode: 0o600 })
  } catch {
    return () => {} // no note, no warnings
  }
  return remove
}

/** `names` that differ from the given settings. */
export interface RunningService {
  readonly pid: number
  readonly different: readonly SettingName[]
}

/** On this machine and data directory. */
export function runningServices(
  options: NoteOptions,
  names: readonly SettingName[],
): RunningService[] {
  const notes = notesIn(options.config.database.dataDirectory)
  return notes.flatMap(({ note, isRunning }) => {
    if (!note || !isRunning) return []
    const own = digests(options, note.salt)
    const isDifferent = (name: SettingName) =>
      own.has(name) && name in note.settings && own.get(name) !== note.settings[name]
    return [{ pid: note.pid, different: names.filter(isDifferent) }]
  })
}

function digests({ config, env }: NoteOptions, salt: string): Map<string, string> {
  const { postgres } = config.database
  const all = [...config.ofModules].flatMap(([table, values]) =>
    Object.entries(table).map(([name, setting]) => ({ name, setting, value: values[name] })),
  )
  const shown = new Map<string, unknown>(
    all.flatMap(({ name, setting, value }): [string, unknown][] => {
      if (setting.isForFirstStart) return []
      // The file may have changed since the note.
      if (setting.isFileReread && env[`${name}_FILE`]) return []
      if (!setting.secret) return [[name, value]]
      return setting.isKey ? [[name, value instanceof Secret ? value.reveal() : null]] : []
    }),
  )
  shown.set('BASE_URL', config.baseUrl)
  // Without the password: prevents guessing.
  shown.set('DATABASE_URL', postgres && [postgres.host, postgres.port, postgres.database])
  const digestOf = (value: unknown) =>
    keyedDigest(Buffer.from(salt), JSON.stringify(value) ?? '').slice(0, digestLength)
  return new Map([...shown].map(([name, value]) => [name, digestOf(value)]))
}

function notesIn(dataDirectory: string) {
  let names: string[]
  try {
    names = readdirSync(dataDirectory).filter((name) => fileName.test(name))
  } catch {
    return []
  }
  return names.map((name) => {
    const path = join(dataDirectory, name)
    const note = read(path)
    return { path, note, isRunning: note !== undefined && isRunning(note) }
  })
}

function read(path: string): ServiceNote | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isNote(note) ? note : undefined
  } catch {
    return undefined
  }
}

function isNote(note: unknown): note is ServiceNote {
  if (typeof note !== 'object' || note === null) return false
  const { pid, process, salt, settings } = note as Partial<Record<keyof ServiceNote, unknown>>
  const areTexts = typeof process === 'string' && typeof salt === 'string'
  return Number.isSafeInteger(pid) && areTexts && typeof settings === 'object' && settings !== null
}

function isRunning({ pid, process: noted }: ServiceNote): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: another user's process.
    if (systemCode(error) !== 'EPERM') return false
  }
  return processOf(pid) === noted
}

/** Machine, pid namespace and start time, where available. */
function processOf(pid: number): string {
  const told = [
    () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    () => readlinkSync('/proc/self/ns/pid'),
    // Fields after the name, which may contain spaces and brackets. proc_pid_stat(5): starttime.
    () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '',
  ].map((tell) => {
    try {
      return tell()
    } catch {
      return ''
    }
  })
  return [hostname(), ...told].join(' ')
}
