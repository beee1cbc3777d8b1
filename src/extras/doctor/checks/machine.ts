import { resolve } from 'node:path'
import { type Check, CouldNotCheck } from '../../../core/checks/check.ts'
import type { OfflineContext } from '../../../core/checks/context.ts'
import type { Machine } from '../../../core/checks/machine.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'

// Of statfs(2): NFS, SMB, CIFS, SMB2, Ceph, 9P, FUSE.
const networks = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x00c36400, 'Ceph'],
])

const networkDisk: Check<OfflineContext> = {
  id: 'network_disk',
  level: 'error',
  passMessage: 'the SQLite file lies on a disk of this machine',
  why: {
    en: 'The log of SQLite needs memory that all processes share; over a network it loses or damages the database. https://sqlite.org/wal.html',
    de: 'Das Log von SQLite braucht Speicher, den alle Prozesse teilen; über ein Netz verliert oder beschädigt es die Datenbank. https://sqlite.org/wal.html',
  },
  mend: {
    do: {
      en: 'Move DATA_DIR to a local disk, or use PostgreSQL.',
      de: 'Verlegen Sie DATA_DIR auf eine lokale Platte, oder benutzen Sie PostgreSQL.',
    },
    setting: 'DATABASE_URL=postgres://user:password@host/gatehouse',
  },
  find({ config: { database }, machine }) {
    if (database.postgres) return []
    const folder = resolve(database.dataDirectory)
    const name = networks.get(Number(spaceOf(machine, folder).type) >>> 0)
    return name === undefined
      ? []
      : [
          {
            what: {
              en: `${folder} lies on a ${name} file system.`,
              de: `${folder} liegt auf einem Dateisystem der Art ${name}.`,
            },
          },
        ]
  },
}

const mebibyte = 1_048_576
const fullBytes = 64 * mebibyte
const lowBytes = 512 * mebibyte

const disk: Check<OfflineContext> = {
  id: 'disk',
  level: 'warning',
  passMessage: 'the disk of DATA_DIR has space',
  why: {
    en: 'On a full disk each change is refused with 503, and the audit log takes no record.',
    de: 'Auf einer vollen Platte wird jede Änderung mit 503 abgelehnt, und das Protokoll nimmt keinen Eintrag auf.',
  },
  mend: {
    do: {
      en: `Make space or a larger disk; \`${gatehouse} compact\` gives back what deleted rows have left.`,
      de: `Schaffen Sie Platz, oder nehmen Sie eine größere Platte; \`${gatehouse} compact\` gibt zurück, was gelöschte Zeilen belegt haben.`,
    },
  },
  find({ config, machine }) {
    const folder = resolve(config.database.dataDirectory)
    const { bavail, bsize, files, ffree } = spaceOf(machine, folder)
    const free = bavail * bsize
    if (files > 0 && ffree < 100) {
      return [
        {
          what: {
            en: `The disk of ${folder} has no room for new files.`,
            de: `Auf der Platte von ${folder} ist kein Platz für neue Dateien.`,
          },
          level: 'error',
        },
      ]
    }
    if (free >= lowBytes) return []
    const what = {
      en: `The disk of ${folder} has ${Math.floor(free / mebibyte)} MiB left.`,
      de: `Auf der Platte von ${folder} sind noch ${Math.floor(free / mebibyte)} MiB frei.`,
    }
    return [{ what, ...(free < fullBytes && { level: 'error' }) }]
  },
}

/** @throws CouldNotCheck */
function spaceOf(machine: Machine, folder: string) {
  try {
    return machine.space(folder)
  } catch (cause) {
    throw new CouldNotCheck(
      {
        en: 'the disk of DATA_DIR does not say',
        de: 'die Platte von DATA_DIR gibt keine Auskunft',
      },
      { cause },
    )
  }
}

export const machineChecks: readonly Check<OfflineContext>[] = [networkDisk, disk]
