import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config, SettingName } from '../config/load.ts'
import { keyedDigest } from '../crypto/digest.ts'
import { type Random, randomText } from '../crypto/random.ts'
import { Secret } from '../crypto/secret.ts'
import { systemCode } from '../reason.ts'

/**
 * The note that a running service leaves in its data directory, `service-<pid>.json`: a digest of
 * each of its settings, so that a command can tell which of them differ in its own environment. It
 * is removed when the process exits; that of a killed one is recognized and ignored.
 */
interface ServiceNote {
  readonly pid: number
  /** The machine and the start of the process: a process id is used again. */
  readonly process: string
  readonly salt: string
  readonly settings: Readonly<Record<string, string>>
}

/** What a note is made of. */
export interface NoteOptions {
  readonly config: Pick<Config, 'baseUrl' | 'database' | 'ofModules'>
  readonly env: Readonly<Record<string, string | undefined>>
}

const fileName = /^service-[1-9][0-9]*\.json$/
const saltBytes = 16
/** In characters: enough to see a difference, and too few to confirm a guess. */
const digestLength = 6

/**
 * Leaves the note of this process, if the data directory exists and can be written; answers the
 * function that removes it.
 */
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
    } catch {} // the directory has become read-only: the note is recognized as one of no process
  }
  try {
    for (const { path: stale, isRunning } of notesIn(dataDirectory)) if (!isRunning) rmSync(stale)
    writeFileSync(path, `${JSON.stringify(note)}\n`, { flag: 'wx', mode: 0o600 })
  } catch {
    return () => {} // without a note, commands do not warn
  }
  return remove
}

/** A running service, with its settings among `names` that differ from those given. */
export interface RunningService {
  readonly pid: number
  readonly different: readonly SettingName[]
}

/** The services of this machine that run on a data directory. */
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
      // The note would not follow a file that is read anew.
      if (setting.isFileReread && env[`${name}_FILE`]) return []
      if (!setting.secret) return [[name, value]]
      return setting.isKey ? [[name, value instanceof Secret ? value.reveal() : null]] : []
    }),
  )
  shown.set('BASE_URL', config.baseUrl)
  // Without the password, which a guess could be compared with.
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
    // EPERM: it runs as another user.
    if (systemCode(error) !== 'EPERM') return false
  }
  return processOf(pid) === noted
}

/** The machine, the namespace of process ids, and the start of a process, as far as it is told. */
function processOf(pid: number): string {
  const told = [
    () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    () => readlinkSync('/proc/self/ns/pid'),
    // The fields after the name, which may hold spaces and brackets. proc_pid_stat(5): starttime.
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
