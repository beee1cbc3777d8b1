import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { freePort } from '../../tools/free-port.ts'
import { testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { deliveriesOf, sendUntil, setUp } from '../webhook-sending.ts'
import { folderOf, listingsOf, missing, programOf, startProgram } from './listings.ts'

const listings = listingsOf('docs/webhooks.md')
const python = programOf('python3')
const receivers = [
  { name: 'Node', command: [process.execPath, 'receiver.mjs'], skip: false },
  { name: 'Python', command: [python, 'receiver.py'], skip: missing([python, '-c', '']) },
] as const

interface Message {
  readonly id?: string
  readonly timestamp?: string
  readonly body?: string
  readonly signature?: string
}

const nowSeconds = () => String(Math.floor(Date.now() / 1000))
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

function signed(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

suite('docs/webhooks.md', () => {
  test('the listings are there', () => {
    assert.deepEqual([...listings.keys()], ['receiver.mjs', 'receiver.py'])
  })

  for (const { name, command, skip } of receivers) {
    test(`the receiver in ${name} takes what Gatehouse sends, and nothing else`, {
      skip,
    }, async () => {
      const app = await testApp({}, { clock: fixedClock(new Date().toISOString()) })
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/`
      const { id, secret } = await setUp(app, url, ['user_deleted'])
      const folder = folderOf(listings)
      const env = { WEBHOOK_SECRET: secret, PORT: String(port), DATABASE: 'receiver.db' }
      await startProgram(command, { folder, env, ports: [port] })
      const leavers = () => {
        const db = new DatabaseSync(join(folder, 'receiver.db'), { readOnly: true })
        try {
          return db.prepare('select user_id from leavers order by number').all()
        } finally {
          db.close()
        }
      }
      const states = async () => (await deliveriesOf(app)).map(({ state }) => state)
      const headers = app.basic(app.admin)
      const removed = async (username: string) => {
        const { userId } = await app.account(username)
        assert.equal((await app.call('DELETE', `/users/${userId}`, { headers })).status, 200)
        return userId
      }

      const ann = await removed('ann')
      await sendUntil(app, async () => (await states()).join() === 'delivered')
      assert.deepEqual(leavers().map(Object.values), [[ann]])

      // The same message again: its id is known.
      const [{ id: delivery = 0 } = {}] = await deliveriesOf(app)
      await app.call('POST', `/api/admin/webhooks/deliveries/${delivery}/repeat`, { headers })
      assert.deepEqual(await states(), ['waiting'])
      await sendUntil(app, async () => (await states()).join() === 'delivered')
      assert.deepEqual(leavers().map(Object.values), [[ann]])

      // After a rotation the receiver still knows the secret before alone.
      await app.call('POST', `/api/admin/webhooks/${id}/secret`, { headers })
      const bob = await removed('bob')
      await sendUntil(app, async () => (await states()).join() === 'delivered,delivered')
      assert.deepEqual(leavers().map(Object.values), [[ann], [bob]])

      const send = async (message: Message, method = 'POST') => {
        const { id = 'forged', timestamp = nowSeconds() } = message
        const body = message.body ?? '{"type":"user_deleted","data":{"target":{"user_id":1}}}'
        const { signature = signed(secret, id, timestamp, body) } = message
        const answer = await fetch(url, {
          method,
          headers: {
            'content-type': 'application/json',
            'webhook-id': id,
            'webhook-timestamp': timestamp,
            'webhook-signature': signature,
          },
          ...(method === 'POST' && { body }),
        })
        return answer.status
      }
      const old = String(Number(nowSeconds()) - 301)
      const early = String(Number(nowSeconds()) + 310)
      const [timestamp, body] = [nowSeconds(), '{"type":"x","data":{}}']
      const good = signed(secret, 'forged', timestamp, body)
      const forged: Record<string, Message> = {
        'another secret': {
          timestamp,
          body,
          signature: signed(newSecret(), 'forged', timestamp, body),
        },
        'an old timestamp': { timestamp: old },
        'a timestamp of the future': { timestamp: early },
        'another timestamp': {
          timestamp: nowSeconds(),
          signature: signed(secret, 'forged', old, body),
          body,
        },
        'a timestamp that is no number': { timestamp: 'now', body },
        'another id': { id: 'other', timestamp, body, signature: good },
        'another body': { timestamp, body: `${body} `, signature: good },
        'no signature': { timestamp, body, signature: '' },
        'a part of a signature': { timestamp, body, signature: good.slice(0, -8) },
        'a signature of another version': { timestamp, body, signature: good.replace('v1', 'v1a') },
        'a signature that is no base64': { timestamp, body, signature: 'v1,%%%' },
        'a signature that is cut in two': {
          timestamp,
          body,
          signature: good.replace('v1,', 'v1, '),
        },
      }
      for (const [what, message] of Object.entries(forged)) {
        assert.equal(await send(message), 401, what)
      }
      assert.notEqual(await send({}, 'GET'), 204)
      const several = `v1,AAAA v2,x ${good}`
      assert.equal(await send({ timestamp, body, id: 'forged', signature: several }), 204)
      const large = JSON.stringify({ type: 'x', text: 'x'.repeat(1_048_576) })
      assert.ok(
        await send({ id: 'large', body: large }).then(
          (status) => status === 413,
          () => true,
        ),
      )
      // What cannot be stored is not said to be: it comes again.
      assert.equal(await send({ id: 'broken', body: '{"type":"user_deleted","data":{}}' }), 500)
      const whole = '{"type":"user_deleted","data":{"target":{"user_id":5}}}'
      assert.equal(await send({ id: 'broken', body: whole }), 204)
      assert.deepEqual(leavers().map(Object.values), [[ann], [bob], [5]])
    })
  }
})
