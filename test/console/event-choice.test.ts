import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseChoice } from '../../src/extras/webhooks/event-choice.ts'
import { webhooks as german } from '../../web/console/views/webhooks/de.ts'
import { webhooks as english } from '../../web/console/views/webhooks/en.ts'
import { choiceOf, eventsOf, groups } from '../../web/console/views/webhooks/event-choice.ts'
import { events } from '../../web/languages/en/console/events.ts'
import { eventTypes } from '../events.ts'

const names = Object.keys(events)

test('each box of the form of a webhook chooses events that there are, and has its words', async () => {
  const known = (await eventTypes()).map(({ name }) => name)
  const boxes = [...Object.values(groups), ...names]
  for (const name of boxes) assert.deepEqual(parseChoice([name], known), [name])
  for (const { form } of [english, german]) {
    assert.deepEqual(Object.keys(form.groups), Object.keys(groups))
  }
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
