import { accessSync, constants, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Check, Found } from '../../../core/checks/check.ts'
import type { ModuleChecks, OfflineContext } from '../../../core/checks/context.ts'
import type { Machine } from '../../../core/checks/machine.ts'
import { lifeWarning, readTlsPair } from '../../../core/config/tls.ts'
import { untranslated } from '../../../core/lib/languages.ts'
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
  why: {
    en: 'The database holds password hashes and personal data, and the master key opens the keys that sign tokens.',
    de: 'Die Datenbank enthält Passwort-Hashes und persönliche Daten, und der Hauptschlüssel öffnet die Schlüssel, die Token signieren.',
  },
  mend: {
    do: {
      en: 'Take the rights of group and others away, and consider what could be read known.',
      de: 'Entziehen Sie der Gruppe und anderen die Rechte, und betrachten Sie als bekannt, was lesbar war.',
    },
  },
  find({ config, machine }) {
    const folder = resolve(config.database.dataDirectory)
    const itself = machine.stat(folder)
    const isOpen = itself !== null && isReachable(machine, folder, itself, toWrite)
    const ofFolder: Found[] = isOpen
      ? [
          {
            what: {
              en: `${folder} has mode ${modeOf(itself)}: other users of this machine can put a database and keys of their own there.`,
              de: `${folder} hat den Modus ${modeOf(itself)}: Andere Benutzer dieses Rechners können dort eine eigene Datenbank und eigene Schlüssel ablegen.`,
            },
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
      const what = {
        en: `${path} has mode ${mode}: other users of this machine reach what it holds.`,
        de: `${path} hat den Modus ${mode}: Andere Benutzer dieses Rechners erreichen den Inhalt.`,
      }
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
  why: {
    en: 'A user who can write them can add a client that introspects and revokes tokens, or open each path of an application; the service reads changes automatically.',
    de: 'Wer sie ändern kann, kann einen Client hinzufügen, der Token prüft und widerruft, oder jeden Pfad einer Anwendung öffnen; der Dienst liest Änderungen automatisch.',
  },
  mend: {
    do: {
      en: 'Take the right to write away from group and others, and read the file for what was added.',
      de: 'Entziehen Sie der Gruppe und anderen das Schreibrecht, und sehen Sie in der Datei nach, was hinzukam.',
    },
  },
  find({ config, machine }) {
    const files = filesOf.flatMap((of) => Object.entries(of(config)))
    return files.flatMap(([name, file]): Found[] => {
      if (file === undefined || !isChangeable(machine, resolve(file))) return []
      const path = resolve(file)
      const stats = machine.stat(path)
      const mode = stats === null ? '' : `, mode ${modeOf(stats)},`
      const what = {
        en: `${name} ${path}${mode} can be written by other users of this machine, or replaced in its folder.`,
        de: `${name} ${path}${stats === null ? '' : `, Modus ${modeOf(stats)},`} kann von anderen Benutzern dieses Rechners geändert oder in ihrem Ordner ersetzt werden.`,
      }
      return [{ what, mend: { setting: `chmod go-w ${path} ${dirname(path)}` } }]
    })
  },
})

const dataDirectory: Check<OfflineContext> = {
  id: 'data_directory',
  level: 'error',
  passMessage: 'the service can write to DATA_DIR',
  why: {
    en: 'SQLite makes its log beside the database, and checkpoints of the audit log go to a file there.',
    de: 'SQLite legt sein Log neben der Datenbank an, und Prüfpunkte des Protokolls kommen dort in eine Datei.',
  },
  mend: {
    do: {
      en: 'Give the folder to the user of the service, on a disk that takes changes.',
      de: 'Geben Sie den Ordner dem Benutzer des Dienstes, auf einer Platte, die Änderungen annimmt.',
    },
  },
  find({ config }) {
    const folder = resolve(config.database.dataDirectory)
    try {
      accessSync(folder, constants.W_OK | constants.X_OK)
      return []
    } catch (cause) {
      const code = systemCode(cause) ?? 'unknown'
      // With PostgreSQL, a command may run without the service's folder.
      if (config.database.postgres && code === 'ENOENT') return []
      const what = {
        en: `${folder} cannot be written (${code}).`,
        de: `${folder} ist nicht beschreibbar (${code}).`,
      }
      return [{ what, mend: { setting: `install -d -m 0700 -o USER ${folder}` } }]
    }
  },
}

const firstPassword: Check<OfflineContext> = {
  id: 'first_password',
  level: 'warning',
  passMessage: 'no file holds the password of the first administrator any more',
  why: {
    en: 'It is the password of an administrator in clear; copies of the folder take it along.',
    de: 'Es ist das Passwort eines Administrators im Klartext; Kopien des Ordners enthalten es auch.',
  },
  mend: {
    do: {
      en: 'Log in with it, change it, and delete the file.',
      de: 'Melden Sie sich damit an, ändern Sie es, und löschen Sie die Datei.',
    },
  },
  find({ config, machine }) {
    const folder = resolve(config.database.dataDirectory)
    return machine
      .list(folder)
      .filter((name) => /^first-password(?:-\d+)?$/.test(name))
      .map((name) => ({
        what: {
          en: `${join(folder, name)} still holds the generated password.`,
          de: `${join(folder, name)} enthält noch das erzeugte Passwort.`,
        },
        mend: { setting: `rm ${join(folder, name)}` },
      }))
  },
}

const tlsFiles: Check<OfflineContext> = {
  id: 'tls_files',
  level: 'warning',
  passMessage: 'TLS_CERT_FILE holds a certificate that is valid for two more weeks',
  why: {
    en: 'Clients refuse an expired certificate, and every login fails.',
    de: 'Clients lehnen ein abgelaufenes Zertifikat ab, und jede Anmeldung schlägt fehl.',
  },
  mend: {
    do: {
      en: 'Renew it; the files are read again every ten seconds, without a restart.',
      de: 'Erneuern Sie es; die Dateien werden alle zehn Sekunden neu gelesen, ohne Neustart.',
    },
  },
  find({ clock, config }) {
    if (!config.http.tls) return []
    const { pair, mistakes } = readTlsPair(config.http.tls, config)
    if (!pair)
      return mistakes.map((mistake) => ({ what: untranslated(`${mistake}.`), level: 'error' }))
    const warning = lifeWarning(pair, clock.now())
    if (warning === null) return []
    const what = { en: `${warning.en}.`, de: `${warning.de}.` }
    return [{ what, ...(/has expired|valid from/.test(warning.en) && { level: 'error' }) }]
  },
}

export const fileChecks: readonly Check<OfflineContext>[] = [
  fileModes,
  dataDirectory,
  firstPassword,
  tlsFiles,
]
