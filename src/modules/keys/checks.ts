import type { Check, Found } from '../../core/checks/check.ts'
import type {
  InsideContext,
  ModuleChecks,
  OfflineContext,
  OutsideContext,
} from '../../core/checks/context.ts'
import type { Answer } from '../../core/checks/probe.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { reasonOf } from '../../core/reason.ts'
import { accessAlgorithm } from './algorithm.ts'
import { type MasterKeys, readMasterKeys } from './master-key.ts'
import { masterKeyTurn } from './master-key-check.ts'
import { opens } from './sealed-key.ts'
import { secretWeaknesses } from './secret-weaknesses.ts'
import { operatorKeys } from './signing-key.ts'
import { storedKeys } from './stored-keys.ts'

export const jwks: Check<OutsideContext> = {
  id: 'jwks',
  level: 'error',
  passMessage: 'the public keys are reached, and are those that sign now',
  why: {
    en: 'Services that verify tokens fetch the keys there; without them, or with old ones, they refuse every token.',
    de: 'Dienste, die Token prüfen, holen dort die Schlüssel; ohne sie oder mit alten lehnen sie jedes Token ab.',
  },
  mend: {
    do: {
      en: 'Pass /.well-known/jwks.json to the service, and keep it no longer than its Cache-Control says.',
      de: 'Leiten Sie /.well-known/jwks.json an den Dienst weiter, und behalten Sie es nicht länger, als sein Cache-Control sagt.',
    },
    nginx: 'location / { proxy_pass http://127.0.0.1:3000; }   # and proxy_cache off;',
    caddy: 'reverse_proxy 127.0.0.1:3000   # for /.well-known/ too',
  },
  async find(outside) {
    const path = '/.well-known/jwks.json'
    const answer = await outside.probe.get(path)
    const published = keysOf(answer)
    if (answer.status !== 200 || published === null) {
      return [
        {
          what: {
            en: `${path} answers ${answer.status}, and no set of keys.`,
            de: `${path} antwortet mit ${answer.status} und ohne Schlüsselsatz.`,
          },
        },
      ]
    }
    if (published.some((key) => ['d', 'p', 'q', 'k'].some((part) => part in key))) {
      return [
        { what: { en: `${path} holds private keys.`, de: `${path} enthält private Schlüssel.` } },
      ]
    }
    const expected = await signingNow(outside)
    if (expected === null) {
      if (published.length > 0) return []
      const what = {
        en: `${path} has no key: tokens are signed by HS256, or the keys are lost.`,
        de: `${path} hat keinen Schlüssel: Token werden mit HS256 signiert, oder die Schlüssel sind verloren.`,
      }
      const setting = 'TOKEN_ALGORITHM=RS256'
      return [
        {
          what,
          level: 'info',
          mend: {
            do: {
              en: 'With RS256 others can verify tokens.',
              de: 'Mit RS256 können andere die Token prüfen.',
            },
            setting,
          },
        },
      ]
    }
    const missing = expected.filter((kid) => !published.some((key) => key.kid === kid))
    return missing.map((kid) => ({
      what: {
        en: `${path} lacks the key ${kid}, which signs.`,
        de: `${path} fehlt der Schlüssel ${kid}, der signiert.`,
      },
    }))
  },
}

function keysOf({ json }: Answer): Record<string, unknown>[] | null {
  if (typeof json !== 'object' || json === null || !('keys' in json)) return null
  const { keys } = json
  if (!Array.isArray(keys)) return null
  return keys.filter((key) => typeof key === 'object' && key !== null)
}

/** The ids of public keys that must be published; null if unknown here. */
async function signingNow({ inside, origin, clock }: OutsideContext): Promise<string[] | null> {
  if (inside?.config.baseUrl !== origin) return null
  const { config, db } = inside
  const stored = await storedKeys(db)
  if (accessAlgorithm(config, stored) !== 'RS256') return []
  const own = (await operatorKeys(config)).filter(({ algorithm }) => algorithm === 'RS256')
  const current = stored.filter(
    ({ algorithm, purpose, retiredAt, signsFrom }) =>
      purpose === 'signing' &&
      algorithm === 'RS256' &&
      retiredAt === null &&
      (signsFrom ?? 0) <= clock.now(),
  )
  const [newest] = current
  return own.length > 0 ? own.map(({ kid }) => kid) : newest ? [newest.id] : []
}

/** A new value alone opens nothing: the key set is sealed under the previous key. */
const turned = {
  do: {
    en: 'Turn it while the service runs, then make the next key the present one: docs/deploy.md.',
    de: 'Wechseln Sie ihn, während der Dienst läuft, und machen Sie dann den nächsten Schlüssel zum jetzigen: docs/deploy.md.',
  },
  setting: `MASTER_KEY_NEXT="$(openssl rand -hex 32)"   # on every node, then: ${gatehouse} keys rotate-master`,
}

const weakSecret: Check<OfflineContext> = {
  id: 'weak_secret',
  covers: ['TOKEN_SECRET', 'TOKEN_SECRET_PREVIOUS', 'TOKEN_PRIVATE_KEY', 'MASTER_KEY'],
  level: 'error',
  passMessage: 'no secret of the settings is publicly known or can be guessed',
  why: {
    en: 'Who knows a signing secret makes tokens for any account, and who knows the master key opens the key set.',
    de: 'Wer ein Signaturgeheimnis kennt, macht Token für jedes Konto; wer den Hauptschlüssel kennt, öffnet den Schlüsselsatz.',
  },
  mend: {
    do: {
      en: 'Set a new one and start again; tokens that the old one has signed end. A master key is turned instead.',
      de: 'Setzen Sie ein neues und starten Sie neu; Token, die das alte signiert hat, enden. Ein Hauptschlüssel wird stattdessen gewechselt.',
    },
    setting: 'TOKEN_SECRET="$(openssl rand -base64 32)"',
  },
  find({ config }) {
    const { masterKey, nextMasterKey, token } = config
    const weak = secretWeaknesses({
      MASTER_KEY: masterKey,
      MASTER_KEY_NEXT: nextMasterKey,
      TOKEN_PRIVATE_KEY: token.privateKey,
      TOKEN_SECRET: token.secret,
      TOKEN_SECRET_PREVIOUS: token.previousSecret,
    })
    return weak.map(([name, weakness]): Found => {
      const what = { en: `${name} ${weakness}.`, de: `${name} ist unsicher („${weakness}“).` }
      return name === 'MASTER_KEY' ? { what, mend: turned } : { what }
    })
  },
}

const keys: Check<InsideContext> = {
  id: 'keys',
  level: 'error',
  passMessage: 'the master key opens every stored key, and one signs',
  why: {
    en: 'Without its keys the service does not start, and no token can be signed or verified.',
    de: 'Ohne seine Schlüssel startet der Dienst nicht, und kein Token kann signiert oder geprüft werden.',
  },
  mend: {
    do: {
      en: 'Give the master key that sealed them: the file of before, or that of the other nodes.',
      de: 'Geben Sie den Hauptschlüssel an, mit dem sie versiegelt wurden: die frühere Datei, oder die der anderen Knoten.',
    },
    setting: 'MASTER_KEY_FILE=/etc/gatehouse/master-key',
  },
  async find({ config, db, clock }) {
    const stored = await storedKeys(db)
    if (stored.length === 0)
      return [
        {
          what: {
            en: 'The database has no keys yet.',
            de: 'Die Datenbank hat noch keine Schlüssel.',
          },
          level: 'info',
        },
      ]
    let opened: MasterKeys
    try {
      const random = { bytes: (count: number) => new Uint8Array(count) } // nothing is generated
      opened = readMasterKeys({ config, random, mayCreate: false })
    } catch (error) {
      return [
        {
          what: {
            en: `The master key cannot be used: ${reasonOf(error)}.`,
            de: `Der Hauptschlüssel ist nicht benutzbar: ${reasonOf(error)}.`,
          },
        },
      ]
    }
    const closed = stored.filter((key) => !opened.keys.some((masterKey) => opens(masterKey, key)))
    if (closed.length > 0) {
      const ids = closed.map(({ id }) => id).join(', ')
      return [
        {
          what: {
            en: `The master key does not open ${closed.length} of ${stored.length} keys: ${ids}.`,
            de: `Der Hauptschlüssel öffnet ${closed.length} von ${stored.length} Schlüsseln nicht: ${ids}.`,
          },
        },
      ]
    }
    const algorithm = accessAlgorithm(config, stored)
    const isOperators = algorithm === 'HS256' ? config.token.secret : config.token.privateKey
    const signs = stored.some(
      (key) =>
        key.purpose === 'signing' &&
        key.algorithm === algorithm &&
        (key.retiredAt === null || key.retiredAt > clock.now()),
    )
    const unread = opened.mistakes.map(
      (what): Found => ({ what: { en: `${what}.`, de: `${what}.` }, level: 'warning' }),
    )
    if (signs || isOperators) return unread
    const what = {
      en: `No stored key signs ${algorithm}, which TOKEN_ALGORITHM asks for.`,
      de: `Kein gespeicherter Schlüssel signiert ${algorithm}, das TOKEN_ALGORITHM verlangt.`,
    }
    return [
      {
        what,
        mend: {
          do: {
            en: 'Start the service with these settings: it makes such a key.',
            de: 'Starten Sie den Dienst mit diesen Einstellungen: Er legt einen solchen Schlüssel an.',
          },
        },
      },
    ]
  },
}

const dayMs = 86_400_000
const oldKeyDays = 730

const signingKeyAge: Check<InsideContext> = {
  id: 'signing_key_age',
  level: 'info',
  passMessage: 'the signing key is younger than two years',
  why: {
    en: 'The longer a key signs, the more copies of it there are in backups, and the more tokens depend on it.',
    de: 'Je länger ein Schlüssel signiert, desto mehr Kopien von ihm liegen in Sicherungen, und desto mehr Token hängen von ihm ab.',
  },
  mend: {
    do: {
      en: 'Replace it, without an interruption, or have it replaced by itself.',
      de: 'Ersetzen Sie ihn ohne Unterbrechung, oder lassen Sie ihn automatisch ersetzen.',
    },
    setting: `${gatehouse} keys rotate   KEY_ROTATION_DAYS=365`,
  },
  async find({ clock, db }) {
    const stored = await storedKeys(db)
    const [newest] = stored.filter(
      ({ purpose, retiredAt }) => purpose === 'signing' && retiredAt === null,
    )
    if (!newest) return []
    const days = Math.floor((clock.now() - newest.createdAt) / dayMs)
    return days < oldKeyDays
      ? []
      : [
          {
            what: {
              en: `The key ${newest.id} has signed for ${days} days.`,
              de: `Der Schlüssel ${newest.id} signiert seit ${days} Tagen.`,
            },
          },
        ]
  },
}

export const checks: ModuleChecks = {
  offline: [weakSecret],
  opening: [keys],
  inside: [signingKeyAge, masterKeyTurn],
  outside: [jwks],
}
