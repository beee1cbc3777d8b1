import { createPrivateKey, type KeyObject } from 'node:crypto'
import { integer, optional, secret, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Group, Reading } from '../../core/config/load.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { assertSoundRsaKey } from '../../core/secret-strength/rsa-key.ts'
import { assertStrongSecret } from '../../core/secret-strength/signing-secret.ts'
import { assertVaried } from '../../core/secret-strength/varied.ts'
import { secretWeaknesses } from './secret-weaknesses.ts'

const goodSecret = '`openssl rand -base64 32` prints a good signing secret.'
const goodMasterKey = '`openssl rand -hex 32` prints a good master key.'

export const settings = {
  MASTER_KEY: {
    ...secret({
      shown: 'made as `DATA_DIR/master.key`; required with PostgreSQL',
      doc: 'Encrypts the key set in the database: 32 bytes as 64 hex digits or base64url.',
      check: (value) => void parseMasterKey(value),
    }),
    advice: goodMasterKey,
    isKey: true,
    isOfAllCommands: true,
    isFileReread: true,
  },
  MASTER_KEY_NEXT: {
    ...secret({
      shown:
        'the file of MASTER_KEY, or `DATA_DIR/master.key`, with `.next` at its end, if there is one',
      doc: `The master key that \`${gatehouse} keys rotate-master\` turns to; each process knows both meanwhile. A file that is not there or empty names none. Files of master keys are read anew while the service runs.`,
      fileMayLack: true,
      check: (value) => void parseMasterKey(value),
    }),
    advice: goodMasterKey,
  },
  TOKEN_ALGORITHM: optional({
    shown:
      '`RS256`; `HS256` with `TOKEN_SECRET`; an installation that exists keeps what its keys are for',
    doc: 'Signs new access tokens: `RS256`, whose public keys other services find at `/.well-known/jwks.json`, or `HS256`. A key is generated if the key set has none.',
    parse: parseAlgorithm,
  }),
  TOKEN_RSA_BITS: integer({
    default: 2048,
    min: 2048,
    max: 8192,
    doc: 'Length of a generated RS256 key: 2048 verifies everywhere and signs fastest, 3072 is what long-lived keys should have. A key is never replaced by a shorter one.',
  }),
  TOKEN_SECRET: {
    ...secret({
      shown: 'generated',
      doc: 'A signing secret of your own for access tokens by HS256: text of at least 32 bytes, as `openssl rand -base64 32` prints it. Production refuses what is publicly known or can be guessed.',
      check: assertStrongSecret,
    }),
    advice: goodSecret,
    isKey: true,
  },
  TOKEN_SECRET_PREVIOUS: {
    ...secret({
      doc: 'The previous secret: it signs no tokens but still verifies them, so it must be as strong.',
      check: assertStrongSecret,
    }),
    advice: goodSecret,
    isKey: true,
  },
  TOKEN_PRIVATE_KEY: {
    ...secret({
      shown: 'generated, `TOKEN_RSA_BITS`',
      doc: 'A signing key of your own for access tokens by RS256: an RSA key of at least 2048 bits, PEM.',
      check: assertRsaKey,
    }),
    isKey: true,
  },
  KEY_ROTATION_DAYS: integer({
    default: 0,
    min: 0,
    doc: 'A generated signing key is replaced automatically once it is this old; 0: never. The new one is published 10 minutes before it signs, and tokens of the old one stay valid.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
  interface TokenConfig extends Group<typeof configure, 'token'> {}
}

export function configure({ env, values }: Reading) {
  const masterKeyFiles = masterKeyFilesOf(env)
  const isProduction = values.NODE_ENV === 'production'
  const weaknesses = secretWeaknesses(values)
  const lacksMasterKey = values.DATABASE_URL && !values.MASTER_KEY
  return {
    config: {
      masterKey: values.MASTER_KEY,
      nextMasterKey: masterKeyFiles.next === undefined ? values.MASTER_KEY_NEXT : undefined,
      masterKeyFiles,
      token: {
        /** Undefined: `accessAlgorithm` of keys/algorithm.ts decides. */
        algorithm: values.TOKEN_ALGORITHM,
        rsaBits: values.TOKEN_RSA_BITS,
        secret: values.TOKEN_SECRET,
        previousSecret: values.TOKEN_SECRET_PREVIOUS,
        privateKey: values.TOKEN_PRIVATE_KEY,
        rotationDays: values.KEY_ROTATION_DAYS,
      },
    },
    mistakes: [
      ...(lacksMasterKey
        ? ['MASTER_KEY must be set with PostgreSQL: every node needs the same']
        : []),
      ...(isProduction ? weaknesses.map(([name, weakness]) => `${name} ${weakness}`) : []),
    ],
    warnings: isProduction
      ? []
      : weaknesses.map(([name, weakness]) =>
          [`${name} ${weakness}: production refuses it.`, settings[name].advice ?? []]
            .flat()
            .join(' '),
        ),
  }
}

interface MasterKeyFiles {
  readonly present: string | undefined
  readonly next: string | undefined
}

function masterKeyFilesOf(env: Readonly<Record<string, string | undefined>>): MasterKeyFiles {
  const present = env.MASTER_KEY_FILE || undefined
  const beside = present && !env.MASTER_KEY_NEXT ? `${present}.next` : undefined
  return { present, next: env.MASTER_KEY_NEXT_FILE || beside }
}

/** Parses the 32 bytes of a master key. @throws Error whose message says what is wrong */
export function parseMasterKey(value: string): Uint8Array {
  const bytes = /^[0-9a-fA-F]{64}$/.test(value)
    ? Buffer.from(value, 'hex')
    : /^[A-Za-z0-9_-]{43}$/.test(value)
      ? Buffer.from(value, 'base64url')
      : undefined
  if (!bytes) throw new Error('must be 32 bytes, as 64 hex digits or 43 characters of base64url')
  assertVaried(bytes)
  return bytes
}

export type SigningAlgorithm = 'HS256' | 'RS256'

function parseAlgorithm(value: string): SigningAlgorithm {
  if (value === 'HS256' || value === 'RS256') return value
  throw new Error('must be one of HS256, RS256')
}

function assertRsaKey(pem: string): void {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw new Error('must be an RSA private key in PEM')
  }
  assertSoundRsaKey(key)
}
