import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseChoice } from '../../src/extras/webhooks/endpoint-input.ts'
import { webhooks as german } from '../../web/console/views/webhooks/de.ts'
import { webhooks as english } from '../../web/console/views/webhooks/en.ts'
import {
  choiceOf,
  eventsOf,
  groups,
  groupsAmong,
} from '../../web/console/views/webhooks/event-choice.ts'
import { eventTypes } from '../events.ts'

const names = (await eventTypes()).map(({ name }) => name)

test('each box of the form of a webhook chooses events that there are, and has its words', () => {
  assert.deepEqual(groupsAmong(names), Object.keys(groups))
  const boxes = [...Object.values(groups), ...names]
  for (const name of boxes) assert.deepEqual(parseChoice([name], names), [name])
  for (const { form } of [english, german]) {
    assert.deepEqual(Object.keys(form.groups), Object.keys(groups))
  }
})

test('a group without an event that there is has no box, and its choice stays as text', () => {
  const others = names.filter((name) => !name.startsWith('backup_'))
  assert.ok(!groupsAmong(others).includes('backups'))
  assert.ok(groupsAmong(others).includes('checkpoints'))
  assert.equal(choiceOf(['backup_*', 'mfa_*'], others).others, 'backup_*')
})

test('a choice that is taken apart and put together again is the same', () => {
  const choices = [
    [],
    ['*'],
    ['*', 'audit_checkpoint'],
    ['user_deleted', 'authn_*'],
    ['mail_sent', 'sys_*', 'user_created'],
  ]
  for (const choice of choices) {
    assert.deepEqual(eventsOf(choiceOf(choice, names)).toSorted(), choice.toSorted())
  }
})

test('what is typed by name is taken between spaces, commas and lines', () => {
  const typed = { isAll: false, ticked: new Set(['user_deleted']), others: ' sys_*,\n mail_* x ' }
  assert.deepEqual(eventsOf(typed), ['user_deleted', 'sys_*', 'mail_*', 'x'])
  assert.deepEqual(eventsOf({ ...typed, isAll: true }), ['*'])
})
