import { exactly, Flag, named, Text, Time, TimeOrNull } from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { protectedChanges } from '../authentication/proof-kinds.ts'
import type { Passkey } from './store.ts'
import { algorithms } from './webauthn/algorithms.ts'

const id = 'dGhlIGlkIG9mIGEgcGFzc2tleQ'
const challenge = 'AZt6Zw8ABx-5lDqlVh0wZ2F0ZWhvdXNlLWV4YW1wbGU'

export const examplePasskey = {
  ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MdAAAAAA',
    signature: 'MEUCIQDk3SaM',
    userHandle: 'c29tZWJvZHk',
  },
} as const

/** For documentation: the server accepts any value, and refuses what is no right answer. */
export const SentPasskey = named(
  'PasskeyAssertion',
  {
    type: 'object',
    properties: {
      id: Text,
      rawId: Text,
      type: Text,
      response: { type: 'object' },
      clientExtensionResults: { type: 'object' },
    },
    description:
      'The answer of a passkey: `toJSON()` of a PublicKeyCredential, as an object, or its JSON as text in a form',
  },
  examplePasskey,
)

const Descriptor = exactly({
  type: Text,
  id: Text,
  transports: { type: 'array', items: Text },
})

export const RequestOptionsBody = named(
  'PasskeyRequestOptions',
  exactly({
    challenge: { ...Text, description: 'Counts once, for 30 minutes' },
    rpId: Text,
    timeout: { type: 'integer', description: 'Milliseconds' },
    userVerification: { type: 'string', const: 'required' },
    allowCredentials: {
      type: 'array',
      items: Descriptor,
      description: 'Empty: any passkey of the person for the domain',
    },
  }),
  {
    ...{ challenge, rpId: 'auth.example.com', timeout: 300_000, userVerification: 'required' },
    allowCredentials: [],
  },
)

export const CreationOptionsBody = named(
  'PasskeyCreationOptions',
  exactly({
    challenge: { ...Text, description: 'Counts once, for 30 minutes' },
    rp: exactly({ id: Text, name: Text }),
    user: exactly({ id: Text, name: Text, displayName: Text }),
    pubKeyCredParams: {
      type: 'array',
      items: exactly({ type: Text, alg: { type: 'integer', enum: algorithms } }),
    },
    timeout: { type: 'integer', description: 'Milliseconds' },
    excludeCredentials: { type: 'array', items: Descriptor },
    authenticatorSelection: exactly({
      residentKey: Text,
      requireResidentKey: Flag,
      userVerification: Text,
    }),
    attestation: { type: 'string', const: 'none' },
    extensions: exactly({ credProps: Flag }),
  }),
  {
    challenge,
    rp: { id: 'auth.example.com', name: 'Gatehouse' },
    user: { id: 'c29tZWJvZHk', name: 'ann', displayName: 'Ann Lee' },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    ...{ timeout: 300_000, excludeCredentials: [] },
    authenticatorSelection: {
      ...{ residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    },
    ...{ attestation: 'none', extensions: { credProps: true } },
  },
)

const passkeyFields = {
  id: Text,
  name: { ...Text, description: 'Given by its owner' },
  synced: { ...Flag, description: 'The passkey can be copied to other devices of the person' },
  usable: { ...Flag, description: 'False for a passkey of another domain' },
  credential_id: { ...Text, description: 'As the authenticator knows the passkey; base64url' },
  created_at: Time,
  last_used_at: TimeOrNull,
} as const

const examplePasskeyBody = {
  ...{ id: 'Qm9yZWFsIGlkIG9mIHRoZSByb3c', name: 'Telephone', synced: true, usable: true },
  credential_id: id,
  ...{ created_at: '2026-03-02T09:15:00.000Z', last_used_at: '2026-03-02T09:30:00.000Z' },
}

export const PasskeyBody = named('Passkey', exactly(passkeyFields), examplePasskeyBody)

/** Oldest first. */
export const PasskeyList = { type: 'array', items: PasskeyBody } as const

export const NewPasskeyBody = named(
  'NewPasskey',
  exactly({
    ...passkeyFields,
    recovery_codes: {
      type: 'array',
      items: Text,
      description: 'Ten codes with the first factor of the account, told once; otherwise none',
    },
  }),
  { ...examplePasskeyBody, recovery_codes: [] },
)

export const Name = { type: 'string', minLength: 1, maxLength: 64, format: 'text' } as const

export const SentRegistration = named(
  'PasskeyRegistration',
  {
    type: 'object',
    required: ['response', 'name'],
    properties: {
      response: {
        type: 'object',
        description: 'The new passkey: `toJSON()` of a PublicKeyCredential',
      },
      name: Name,
    },
  },
  {
    response: {
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: {
        clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
        attestationObject: 'o2NmbXRkbm9uZQ',
        transports: ['internal'],
      },
    },
    name: 'Telephone',
  },
)

/** Another type of `response` is a wrong response. */
export const Registration = {
  type: 'object',
  required: ['name'],
  properties: { response: {}, name: Name },
} as const

export const Rename = named(
  'PasskeyName',
  { type: 'object', required: ['name'], properties: { name: Name } },
  { name: 'Telephone' },
)

export const PasskeyId = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', examples: [examplePasskeyBody.id] } },
} as const

export const ProofAction = named(
  'PasskeyProofAction',
  {
    type: 'object',
    required: ['action'],
    properties: {
      action: { type: 'string', enum: protectedChanges, description: 'What the proof is for' },
    },
  },
  { action: 'password' },
)

const examplePage = 'https://auth.example.com/account/passkeys'

export const Endpoints = named('PasskeyEndpoints', exactly({ enroll: Text, manage: Text }), {
  ...{ enroll: examplePage, manage: examplePage },
})

/** WebAuthn level 3, section 5.11.1. */
export const RelatedOrigins = named(
  'PasskeyOrigins',
  exactly({ origins: { type: 'array', items: Text } }),
  { origins: ['https://shop.example'] },
)

export function showPasskey(passkey: Passkey, rpId: string) {
  const { id: own, name, credentialId, createdAt, lastUsedAt } = passkey
  return {
    ...{ id: own, name, synced: passkey.isBackupEligible, usable: passkey.rpId === rpId },
    credential_id: credentialId,
    created_at: isoTime(createdAt),
    last_used_at: isoTimeOrNull(lastUsedAt),
  }
}
