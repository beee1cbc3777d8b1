import type { Convert, ForeignAccount } from './account.ts'
import { AccountFault } from './account-fault.ts'
import { type ForeignFormat, FormatError } from './format.ts'
import { envelopeRecords } from './json.ts'
import { fieldOf, flagAt, namesAt, nestedAt, textAt, timeOf } from './values.ts'

interface HashConfig {
  readonly signerKey: Buffer
  readonly saltSeparator: Buffer
  readonly costs: string
}

/** `firebase auth:export users.json`, and the password hash parameters of the project. */
export const firebase: ForeignFormat = {
  records: (pieces) => envelopeRecords(pieces, 'users'),
  converter({ hashConfig }) {
    if (hashConfig === undefined) {
      throw new FormatError(
        'firebase needs --hash-config FILE: the password hash parameters of its console',
      )
    }
    return converter(readHashConfig(hashConfig))
  },
}

function converter(config: HashConfig): Convert {
  return (user): ForeignAccount => {
    const email = textAt(user, 'email')
    return {
      id: textAt(user, 'localId'),
      username: email ?? textAt(user, 'localId'),
      name: textAt(user, 'displayName'),
      email,
      emailVerified: flagAt(user, 'emailVerified') ?? false,
      hash: hashOf(user, config),
      roles: claimsOf(nestedAt(user, 'customAttributes')),
      active: flagAt(user, 'disabled') !== true,
      createdAt: timeOf(fieldOf(user, 'createdAt')),
    }
  }
}

/** Names of `role` and `roles`, and of claims that are true. */
function claimsOf(claims: ReturnType<typeof nestedAt>): string[] {
  const flags = Object.entries(claims ?? {}).filter(([, value]) => value === true)
  return [...namesAt(claims, 'role'), ...namesAt(claims, 'roles'), ...flags.map(([name]) => name)]
}

/**
 * The hash is the signer key, encrypted by AES-CTR under a key that scrypt derives. Without the
 * signer key the key stream is left, which the password alone determines.
 */
function hashOf(user: unknown, { signerKey, saltSeparator, costs }: HashConfig) {
  const hash = bytesOf(textAt(user, 'passwordHash'))
  if (!hash) return undefined
  if (hash.length !== signerKey.length) {
    throw new AccountFault('passwordHash', 'is of another length than the signer key')
  }
  const stream = Buffer.from(hash.map((byte, at) => byte ^ (signerKey[at] ?? 0)))
  const salt = Buffer.concat([bytesOf(textAt(user, 'salt')) ?? Buffer.alloc(0), saltSeparator])
  return `$scrypt-key$${costs}$${salt.toString('base64')}$${stream.toString('base64')}`
}

function bytesOf(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'base64')
}

const pair = /([a-z][a-z0-9_]*)"?\s*[:=]\s*"?([A-Za-z0-9+/_-]+=*)/g

/** As the console shows the parameters, or as JSON. */
function readHashConfig(text: string): HashConfig {
  const values = new Map([...text.matchAll(pair)].map(([, name, value]) => [name, value]))
  const of = (name: string) => values.get(name)
  const [algorithm, key, separator] = [
    'algorithm',
    'base64_signer_key',
    'base64_salt_separator',
  ].map(of)
  const [rounds, memory] = ['rounds', 'mem_cost'].map((name) => Number(of(name)))
  if (algorithm !== undefined && algorithm !== 'SCRYPT') {
    throw new FormatError(`the algorithm of --hash-config must be SCRYPT, not ${algorithm}`)
  }
  const isCost = (cost = 0) => Number.isInteger(cost) && cost >= 1 && cost <= 99
  const signerKey = Buffer.from(key ?? '', 'base64')
  if (!isCost(rounds) || !isCost(memory) || signerKey.length < 16 || signerKey.length > 64) {
    throw new FormatError(
      '--hash-config must have base64_signer_key, base64_salt_separator, rounds and mem_cost',
    )
  }
  return {
    signerKey,
    saltSeparator: Buffer.from(separator ?? '', 'base64'),
    costs: `ln=${memory},r=${rounds},p=1`,
  }
}
