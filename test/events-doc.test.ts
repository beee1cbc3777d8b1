import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventGroups, eventType } from '../src/core/events/types.ts'
import { languages } from '../src/core/lib/languages.ts'
import { eventTypes } from './events.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

test('each event has a description, and words of its own in each language', async () => {
  const types = await eventTypes()
  for (const { name, description, words } of types) {
    assert.ok(description.length > 8, `${name}: the description is too short`)
    assert.deepEqual(Object.keys(words), [...languages], `${name}: words in each language`)
  }
  for (const language of languages) {
    const byWords = Map.groupBy(types, ({ words }) => words[language])
    for (const [words, [one, other]] of byWords) {
      assert.notEqual(words, '', `${one?.name} has no words in ${language}`)
      assert.equal(other, undefined, `${one?.name} and ${other?.name} have the same words`)
    }
  }
})

test('the types refuse an event that lacks one of its texts', () => {
  type OfUser = { user_id: number }
  const [groups, description] = [[], 'a user is made']
  const [fields, words] = [{ user_id: '' }, { en: 'Made', de: 'Angelegt' }]
  assert.ok(eventType<OfUser>('made', { groups, description, fields, words }))
  const refused = [
    // @ts-expect-error no description
    () => eventType<OfUser>('made', { groups, fields, words }),
    // @ts-expect-error no groups
    () => eventType<OfUser>('made', { description, fields, words }),
    // @ts-expect-error no German words
    () => eventType<OfUser>('made', { groups, description, fields, words: { en: 'Made' } }),
    // @ts-expect-error a field of the payload that docs/events.md would not name
    () => eventType<OfUser>('made', { groups, description, fields: {}, words }),
  ]
  assert.equal(refused.length, 4)
})

test('a group of the audit view has no more events than the API takes', async () => {
  const types = await eventTypes()
  for (const group of eventGroups) {
    const members = types.filter(({ groups }) => groups.includes(group))
    assert.ok(members.length <= 20, `the group ${group} has ${members.length} events, not 20`)
  }
})

test('what the vocabulary has and this service has not is in the decision, with its reason', async () => {
  const names = new Set((await eventTypes()).map(({ name }) => name))
  const [, absent = ''] =
    /^Not recorded (.+)$/m.exec(read('docs/adr/0052-vocabulary-of-events.md')) ?? []
  const wanted =
    `authn_login_success authn_login_successafterfail authn_login_fail authn_login_fail_max
    authn_login_lock authn_password_change authn_password_change_fail authn_token_created
    authn_token_revoked authn_token_reuse authn_token_delete authz_fail authz_change authz_admin
    excess_rate_limit_exceeded excess_sessions_exceeded input_validation_fail malicious_csrf
    malicious_cors malicious_direct_reference privilege_permissions_changed sensitive_create
    sensitive_read sensitive_update sensitive_delete session_created session_renewed session_expired
    session_use_after_expire sequence_fail user_created user_updated user_archived user_deleted
    sys_startup sys_shutdown sys_restart sys_crash mfa_enrolled mfa_removed mfa_fail key_rotated
    config_changed backup_made`.split(/\s+/)
  for (const name of wanted) {
    assert.equal(names.has(name), !absent.includes(`\`${name}\``), name)
  }
})
