import { readFileSync } from 'node:fs'
import type { Check, Found } from '../../core/checks/check.ts'
import type { InsideContext } from '../../core/checks/context.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { isoTime } from '../../core/lib/clock.ts'
import {
  type MasterKeyConfig,
  type MasterKeys,
  masterKeyId,
  nextOwnFile,
  ownFile,
  readMasterKeys,
} from './master-key.ts'
import { opens } from './sealed-key.ts'
import { parseMasterKey } from './settings.ts'
import { storedKeys } from './stored-keys.ts'

const unfinishedMs = 3_600_000

export const masterKeyTurn: Check<InsideContext> = {
  id: 'master_key_turn',
  level: 'warning',
  passMessage: 'no turn of the master key is left half done',
  why: {
    en: 'A node that is given the key of before alone does not start; and a next key that lies about is one more copy of a key that opens everything.',
    de: 'Ein Knoten, der nur den früheren Schlüssel bekommt, startet nicht; und ein nächster Schlüssel, der herumliegt, ist eine weitere Kopie eines Schlüssels, der alles öffnet.',
  },
  mend: {
    do: {
      en: 'Finish the turn: the command asks the nodes again, and goes on where it was ended.',
      de: 'Schließen Sie den Wechsel ab: Der Befehl fragt die Knoten noch einmal und setzt dort fort, wo er endete.',
    },
    setting: `${gatehouse} keys rotate-master`,
  },
  async find({ clock, config, db }) {
    const { keys } = knownKeys(config)
    const stored = await storedKeys(db)
    const [newest] = stored
    const [present, next] = keys
    if (!newest) return []
    if (next && opens(next, newest) && !opens(present, newest)) return [notInPlace(config)]
    if (!next && isNextGiven(config)) return [leftOver(config)]
    const asked = await unfinishedTurn(db)
    if (asked !== null && clock.now() - asked >= unfinishedMs) {
      return [
        {
          what: {
            en: `A turn of the master key was asked for at ${isoTime(asked)}, and not done.`,
            de: `Ein Wechsel des Hauptschlüssels wurde um ${isoTime(asked)} verlangt und nicht ausgeführt.`,
          },
        },
      ]
    }
    if (!next) return []
    const what = {
      en: `${nameOfNext(config)} holds a next master key (${masterKeyId(next)}), and it was not turned to.`,
      de: `${nameOfNext(config)} enthält einen nächsten Hauptschlüssel (${masterKeyId(next)}), zu dem nicht gewechselt wurde.`,
    }
    return [{ what, level: 'info' }]
  },
}

function knownKeys(config: MasterKeyConfig): MasterKeys {
  const random = { bytes: (count: number) => new Uint8Array(count) } // nothing is generated
  return readMasterKeys({ config, random, mayCreate: false })
}

/** The keys are sealed under the next key, and the settings still name the previous key. */
function notInPlace(config: MasterKeyConfig): Found {
  const [before, next] = [nameOfPresent(config), nameOfNext(config)]
  const what = {
    en: `The master key was turned, and ${before} still holds that of before: ${next} alone opens the keys.`,
    de: `Der Hauptschlüssel wurde gewechselt, und ${before} enthält noch den früheren: Nur ${next} öffnet die Schlüssel.`,
  }
  const { next: nextFile, present: file } = config.masterKeyFiles ?? {}
  if (!config.masterKey) return { what }
  const mend =
    nextFile !== undefined && file !== undefined
      ? {
          do: {
            en: 'Make it the present key, on every node.',
            de: 'Machen Sie ihn auf jedem Knoten zum jetzigen Schlüssel.',
          },
          setting: `mv ${nextFile} ${file}`,
        }
      : {
          do: {
            en: `Give the value of ${next} to ${before} on every node, and take ${next} away.`,
            de: `Übernehmen Sie auf jedem Knoten den Wert von ${next} in ${before}, und entfernen Sie ${next}.`,
          },
        }
  return { what, mend: { setting: 'MASTER_KEY_NEXT=', ...mend } }
}

/** Both settings name the same key: the rotation is complete, and the extra file remains. */
function leftOver(config: MasterKeyConfig): Found {
  const name = nameOfNext(config)
  const what = {
    en: `${name} holds the present master key: no next turn begins beside it.`,
    de: `${name} enthält den jetzigen Hauptschlüssel: Daneben beginnt kein weiterer Wechsel.`,
  }
  const file = fileOfNext(config)
  const isFile = file !== undefined && config.nextMasterKey === undefined
  return {
    what,
    level: 'info',
    mend: {
      do: { en: 'Take it away, on every node.', de: 'Entfernen Sie ihn auf jedem Knoten.' },
      setting: isFile ? `rm ${file}` : 'MASTER_KEY_NEXT=',
    },
  }
}

function isNextGiven(config: MasterKeyConfig): boolean {
  if (config.nextMasterKey) return true
  const file = fileOfNext(config)
  if (file === undefined) return false
  try {
    return parseMasterKey(readFileSync(file, 'utf8').trim()).length > 0
  } catch {
    return false // the check of the keys reports the problem
  }
}

function fileOfNext(config: MasterKeyConfig): string | undefined {
  return config.masterKeyFiles?.next ?? (config.masterKey ? undefined : nextOwnFile(config))
}

function nameOfNext(config: MasterKeyConfig): string {
  return config.nextMasterKey ? 'MASTER_KEY_NEXT' : (fileOfNext(config) ?? 'MASTER_KEY_NEXT')
}

function nameOfPresent(config: MasterKeyConfig): string {
  return config.masterKeyFiles?.present ?? (config.masterKey ? 'MASTER_KEY' : ownFile(config))
}

/** When an unfinished rotation began; null: none. */
async function unfinishedTurn(db: DatabaseOrTransaction): Promise<number | null> {
  const row = await db
    .selectFrom('master_key_turns')
    .select('asked_at')
    .where('turned_at', 'is', null)
    .orderBy('asked_at')
    .limit(1)
    .executeTakeFirst()
  return row?.asked_at ?? null
}
