import { accessSync, constants, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Check, Found } from '../../../core/checks/check.ts'
import type { ModuleChecks, OfflineContext } from '../../../core/checks/context.ts'
import type { Machine } from '../../../core/checks/machine.ts'
import { lifeWarning, readTlsPair } from '../../../core/config/tls.ts'
import { systemCode } from '../../../core/reason.ts'

const groupMayRead = 0o060
const othersMayRead = 0o006
const groupMayWrite = 0o020
const othersMayWrite = 0o002
const groupMayPass = 0o010
const othersMayPass = 0o001
const sticky = 0o1000

const secretFiles =
  /^(?:gatehouse\.(?:db(?:-wal|-shm)?|lock)|master\.key(?:\..*)?|first-password(?:-\d+)?|audit-checkpoints\.jsonl)$/

interface Rights {
  readonly group: number
  readonly others: number
}

const toContents: Rights = { group: groupMayRead, others: othersMayRead }
const toWrite: Rights = { group: groupMayWrite, others: othersMayWrite }

/**
 * Through the mode and each parent folder. A file of another owner may be group-accessible: systemd
 * and Kubernetes pass files this way.
 */
function isReachable(
  machine: Machine,
  path: string,
  { mode, uid }: Stats,
  rights: Rights,
): boolean {
  const folders = foldersAbove(path).map((folder) => machine.stat(folder)?.mode ?? 0)
  const isOwn = uid === process.getuid?.()
  const forGroup = isOwn && (mode & rights.group) !== 0
  const forOthers = (mode & rights.others) !== 0
  return (
    (forOthers && folders.every((folder) => (folder & othersMayPass) !== 0)) ||
    (forGroup && folders.every((folder) => (folder & (groupMayPass | othersMayPass)) !== 0))
  )
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersAbove(folder)]
}

/** Writes include replacement. */
function isChangeable(machine: Machine, path: string): boolean {
  return [path, dirname(path)].some((one) => {
    const stats = machine.stat(one)
    // In a sticky folder, others can create files but not remove them.
    const isSticky = stats?.isDirectory() && (stats.mode & sticky) !== 0
    return stats !== null && !isSticky && isReachable(machine, one, stats, toWrite)
  })
}

const modeOf = ({ mode }: Stats) => (mode & 0o7777).toString(8)

const fileModes: Check<OfflineContext> = {
  id: 'file_modes',
  level: 'error',
  passMessage: 'other users of the machine cannot read or write DATA_DIR and its files',
  why: 'The database holds password hashes and personal data, and the master key opens the keys that sign tokens.',
  mend: { do: 'Take the rights of group and others away, and consider what could be read known.' },
  find({ config, machine }) {
    const folder = resolve(config.database.dataDirectory)
    const itself = machine.stat(folder)
    const isOpen = itself !== null && isReachable(machine, folder, itself, toWrite)
    const ofFolder: Found[] = isOpen
      ? [
          {
            what: `${folder} has mode ${modeOf(itself)}: other users of this machine can put a database and keys of their own there.`,
            mend: { setting: `chmod 700 ${folder}` },
          },
        ]
      : []
    const ofFiles = machine.list(folder).flatMap((name): Found[] => {
      if (!secretFiles.test(name)) return []
      const path = join(folder, name)
      const stats = machine.stat(path)
      if (!stats?.isFile() || !isReachable(machine, path, stats, toContents)) return []
      const mode = (stats.mode & 0o777).toString(8)
      const what = `${path} has mode ${mode}: other users of this machine reach what it holds.`
      return [{ what, mend: { setting: `chmod 600 ${path} && chmod 700 ${folder}` } }]
    })
    return [...ofFolder, ...ofFiles]
  },
}

type OperatorFiles = NonNullable<ModuleChecks['operatorFiles']>

export const operatorFiles = (filesOf: readonly OperatorFiles[]): Check<OfflineContext> => ({
  id: 'operator_files',
  level: 'error',
  passMessage: 'other users of the machine cannot write CLIENTS_FILE and FORWARD_AUTH_FILE',
  why: 'A user who can write them can add a client that introspects and revokes tokens, or open each path of an application; the service reads changes automatically.',
  mend: {
    do: 'Take the right to write away from group and others, and read the file for what was added.',
  },
  find({ config, machine }) {
    const files = filesOf.flatMap((of) => Object.entries(of(config)))
    return files.flatMap(([name, file]): Found[] => {
      if (file === undefined || !isChangeable(machine, resolve(file))) return []
      const path = resolve(file)
      const stats = machine.stat(path)
      const mode = stats === null ? '' : `, mode ${modeOf(stats)},`
      const what = `${name} ${path}${mode} can be written by other users of this machine, or replaced in its folder.`
      return [{ what, mend: { setting: `chmod go-w ${path} ${dirname(path)}` } }]
    })
  },
})

const dataDirectory: Check<OfflineContext> = {
  id: 'data_directory',
  level: 'error',
  passMessage: 'the service can write to DATA_DIR',
  why: 'SQLite makes its log beside the database, and checkpoints of the audit log go to a file there.',
  mend: { do: 'Give the folder to the user of the service, on a disk that takes changes.' },
  find({ config }) {
    const folder = resolve(config.database.dataDirectory)
    try {
      accessSync(folder, constants.W_OK | constants.X_OK)
      return []
    } catch (cause) {
      const code = systemCode(cause) ?? 'unknown'
      // With PostgreSQL, a command may run without the service's folder.
      if (config.database.postgres && code === 'ENOENT') return []
      const what = `${folder} cannot be written (${code}).`
      return [{ what, mend: { setting: `install -d -m 0700 -o USER ${folder}` } }]
    }
  },
}

const firstPassword: Check<OfflineContext> = {
  id: 'first_password',
  level: 'warning',
  passMessage: 'no file holds the password of the first administrator any more',
  why: 'It is the password of an administrator in clear; copies of the folder take it along.',
  mend: { do: 'Log in with it, change it, and delete the file.' },
  find({ config, machine }) {
    const folder = resolve(config.database.dataDirectory)
    return machine
      .list(folder)
      .filter((name) => /^first-password(?:-\d+)?$/.test(name))
      .map((name) => ({
        what: `${join(folder, name)} still holds the generated password.`,
        mend: { setting: `rm ${join(folder, name)}` },
      }))
  },
}

const tlsFiles: Check<OfflineContext> = {
  id: 'tls_files',
  level: 'warning',
  passMessage: 'TLS_CERT_FILE holds a certificate that is valid for two more weeks',
  why: 'Clients refuse an expired certificate, and every login fails.',
  mend: { do: 'Renew it; the files are read again every ten seconds, without a restart.' },
  find({ clock, config }) {
    if (!config.http.tls) return []
    const { pair, mistakes } = readTlsPair(config.http.tls, config)
    if (!pair) return mistakes.map((mistake) => ({ what: `${mistake}.`, level: 'error' }))
    const warning = lifeWarning(pair, clock.now())
    if (warning === null) return []
    return [
      { what: `${warning}.`, ...(/has expired|valid from/.test(warning) && { level: 'error' }) },
    ]
  },
}

export const fileChecks: readonly Check<OfflineContext>[] = [
  fileModes,
  dataDirectory,
  firstPassword,
  tlsFiles,
]
