import type { PasskeyViews } from '../../../../src/extras/own-account/pages/passkey-views.ts'
import type { ExamplesOf } from '../../page.ts'
import { at, own } from '../examples.ts'

const id = 'Qm9yZWFsIGlkIG9mIHRoZSByb3c'
const of = { rpId: 'id.example.org', userId: 'c29tZWJvZHk' }
const list = {
  ...own,
  isPossible: true,
  passkeys: [],
  signals: {
    credentials: { ...of, allAcceptedCredentialIds: [] },
    user: { ...of, name: 'ann', displayName: 'Ann Example' },
  },
}
const row = { id, name: 'Telephone', isSynced: true, isUsable: true, createdAt: at }
const fresh: PasskeyViews['account-new-passkey'] = {
  ...own,
  action: `/account/passkeys/new?flow=${id}`,
  name: 'Firefox, Linux',
  options: {
    challenge: 'AZt6Zw8ABx-5lDqlVh0wZ2F0ZWhvdXNlLWV4YW1wbGU',
    rp: { id: of.rpId, name: 'Gatehouse' },
    user: { id: of.userId, name: 'ann', displayName: 'Ann Example' },
    pubKeyCredParams: [],
    timeout: 300_000,
    excludeCredentials: [],
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
    extensions: { credProps: true },
  },
}

export const examples: ExamplesOf<PasskeyViews> = {
  'account-passkeys': {
    none: list,
    several: {
      ...list,
      done: 'passkey_added',
      passkeys: [
        { ...row, lastUsedAt: at + 900_000 },
        { ...row, id: 'two', name: 'Key on the ring', isSynced: false, lastUsedAt: null },
        { ...row, id: 'three', name: 'Old telephone', isUsable: false, lastUsedAt: at },
      ],
    },
    impossible: { ...list, isPossible: false },
  },
  'account-new-passkey': {
    plain: fresh,
    refused: { ...fresh, problem: { code: 'passkey_refused', field: null } },
  },
  'account-passkey': {
    plain: { ...own, id, name: 'Telephone' },
    'no name': { ...own, id, name: '', problem: { code: 'passkey_name', field: 'name' } },
  },
  'account-remove-passkey': {
    plain: { ...own, id, name: 'Telephone' },
    last: { ...own, id, name: 'Telephone', problem: { code: 'factor_required', field: null } },
  },
}
