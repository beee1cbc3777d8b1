import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { groups } from '../web/console/views/audit/groups.ts'
import { events as german } from '../web/languages/de/console/events.ts'
import { events as english } from '../web/languages/en/console/events.ts'
import { eventTypes } from './events.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

test('docs/events.md has a row for each event, with its level and outcome, in their order', async () => {
  const rows = [...read('docs/events.md').matchAll(/^\| `(\w+)` \| (\w+) \| (\w+) \| (.+?) \|/gm)]
  const types = (await eventTypes()).map(({ name, level, outcome }) => [name, level, outcome])
  assert.deepEqual(
    rows.map(([, ...cells]) => cells.slice(0, 3)),
    types.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
  )
  assert.ok(rows.every(([, , , , meaning = '']) => meaning.length > 8))
})

test('the console has words for each event, in both languages, and for no other', async () => {
  const names = (await eventTypes()).map(({ name }) => name).sort()
  for (const words of [english, german]) {
    assert.deepEqual(Object.keys(words).sort(), names)
    const all = Object.values(words)
    assert.equal(new Set(all).size, all.length, 'two events with the same words')
  }
})

test('what the console chooses together are events, no more than the API takes', async () => {
  const names = new Set((await eventTypes()).map(({ name }) => name))
  for (const [group, types] of Object.entries(groups)) {
    const known = types.filter((type) => names.has(type))
    assert.deepEqual(known, types, group)
    assert.ok(types.length <= 20, group)
  }
})

test('what the vocabulary has and this service has not is in the decision, with its reason', async () => {
  const names = new Set((await eventTypes()).map(({ name }) => name))
  const [, untold = ''] = read('docs/adr/0052-vocabulary-of-events.md').split('**Not told')
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
  const named = [...untold.matchAll(/^\| (`.+?) \|/gm)].map(([, cell]) => cell).join()
  for (const name of wanted) {
    assert.equal(names.has(name), !named.includes(`\`${name}\``), name)
  }
})
