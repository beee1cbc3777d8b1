import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { seededRandom } from '../../../test/random.ts'
import { digest } from '../../core/crypto/digest.ts'
import type { EventContext, RequestFacts } from '../../core/events/context.ts'
import type { RecordedEvent } from '../../core/events/events.ts'
import { auditKeysOf } from '../keys/audit-keys.ts'
import { type Entry, makeRecord, newPersonsIn, personsIn, subjectsOf } from './make-record.ts'
import { addressIndex, openFields, serviceIndex, serviceKeyName, typedName } from './persons.ts'
import { derivedOf, type SubjectKey } from './subject-keys.ts'

const random = seededRandom(41)
const keys = auditKeysOf(random.bytes(32), random.bytes(32))
const writer = { instance: 'host/1', version: '1.2.3' }
const at = 1_700_000_000_000
const none: EventContext = { by: null, address: null, scheme: null, requestId: null, request: null }
const request: RequestFacts = {
  ...{ method: 'POST', route: '/login', successStatus: 303, userAgent: 'curl', proxies: [] },
  ...{ session: null, token: null, keyId: null, factors: [], username: null },
}

type More = Partial<Omit<RecordedEvent, 'type' | 'context'>> & { readonly context?: object }

function event(outcome: 'success' | 'failure', { context, ...more }: More = {}): RecordedEvent {
  const type = { name: 'login', level: 'info', outcome } as RecordedEvent['type'] // what is read
  return { type, payload: {}, at, ...more, context: { ...none, ...context } }
}

const person = (): SubjectKey => derivedOf(random.bytes(32))
const [ann, bob] = [person(), person()]
const persons = new Map([
  ['7', ann],
  ['8', bob],
])

function made(of: RecordedEvent, more: Partial<Entry> = {}, known = persons) {
  return makeRecord({ id: 'record', event: of, ...more }, writer, { keys, persons: known, random })
}

const facts = (...given: Parameters<typeof made>) => JSON.parse(made(...given).facts)

function opened(side: 'actor' | 'target', of: RecordedEvent, key = keys.service) {
  const record = made(of)
  const sealed = side === 'actor' ? record.actor_sealed : record.target_sealed
  return sealed === null ? null : openFields(key, { id: 'record', side }, sealed)
}

suite('who acted, and who is concerned', () => {
  for (const [name, of, actor, target] of [
    ['a login', event('success', { payload: { user_id: 7 }, context: { request } }), '7', '7'],
    [
      'a failed login',
      event('failure', { payload: { user_id: 7 }, context: { request } }),
      null,
      '7',
    ],
    [
      'what a stranger may ask for an account',
      event('success', { payload: { user_id: 7 }, context: { request }, hidesPerson: true }),
      null,
      '7',
    ],
    ['a success without a request', event('success', { payload: { user_id: 7 } }), null, '7'],
    [
      'what an administrator does',
      event('success', { payload: { user_id: 7 }, context: { by: '8', request } }),
      '8',
      '7',
    ],
    ['what a caller fails at', event('failure', { context: { by: '8', request } }), '8', null],
    ['a post', event('success', { payload: { author_id: 7 }, context: { by: '8' } }), '8', '7'],
    ['a post of no one', event('success', { payload: { author_id: null } }), null, null],
    [
      'a user before an author',
      event('success', { payload: { user_id: 8, author_id: 7 }, context: { by: 'cli' } }),
      'cli',
      '8',
    ],
    ['a command', event('success', { context: { by: 'cli' } }), 'cli', null],
  ] as const) {
    test(name, () => assert.deepEqual(subjectsOf(of), { actor, target }))
  }

  test('persons are users and people of providers, of both sides; new ones were inserted', () => {
    const entries = [
      event('success', { payload: { user_id: 7 }, context: { by: 'cli' } }),
      event('success', { payload: { user_id: 8 }, context: { by: '9' }, isNewPerson: true }),
      event('failure', { context: { by: 'https://idp.example.org#x' } }),
      event('failure', { context: { by: 'client:3' }, isNewPerson: true }),
    ].map((of, index) => ({ id: `${index}`, event: of }))
    assert.deepEqual(personsIn(entries), new Set(['7', '9', '8', 'https://idp.example.org#x']))
    assert.deepEqual(newPersonsIn(entries), new Set(['8']))
  })
})

suite('the facts of a record', () => {
  test('name the writer, and what kind of actor there was', () => {
    assert.deepEqual(facts(event('failure')), { actor: 'unknown', ...writer })
    for (const [by, kind] of [
      ['7', 'user'],
      ['https://idp.example.org#x', 'external'],
      ['client:3', 'client'],
      ['client:https://a#b', 'client'],
      ['cli', 'cli'],
      ['job', 'job'],
      ['bootstrap', 'bootstrap'],
    ] as const) {
      assert.equal(facts(event('success', { context: { by } })).actor, kind)
    }
  })

  test('have the request, its scheme and the status of the answer', () => {
    const context = { request, scheme: 'basic' }
    assert.deepEqual(facts(event('success', { context })), {
      ...{ actor: 'unknown', scheme: 'basic', method: 'POST', route: '/login', status: 303 },
      ...writer,
    })
    const failed = { actor: 'unknown', scheme: 'basic', method: 'POST', route: '/login', ...writer }
    assert.deepEqual(facts(event('failure', { context })), failed)
    assert.deepEqual(facts(event('failure', { context }), { status: 401 }), {
      ...failed,
      status: 401,
    })
    assert.equal(facts(event('success', { context }), { status: 201 }).status, 201)
    const nowhere = { request: { ...request, route: null, successStatus: null } }
    assert.deepEqual(facts(event('success', { context: nowhere })), {
      ...{ actor: 'unknown', method: 'POST' },
      ...writer,
    })
  })

  test('have the factors of the request, or else of the login', () => {
    const login = { username: 'ann', factors: ['pwd'] }
    const withOtp = { request: { ...request, factors: ['otp'] } }
    assert.deepEqual(facts(event('success', { login, context: withOtp })).factors, ['otp'])
    assert.deepEqual(facts(event('success', { login, context: { request } })).factors, ['pwd'])
    assert.deepEqual(facts(event('success', { login })).factors, ['pwd'])
    const without = event('success', { login: { ...login, factors: [] } })
    assert.equal('factors' in facts(without), false)
  })

  test('have a count that is a number', () => {
    assert.equal(facts(event('success', { payload: { count: 3 } })).count, 3)
    assert.equal('count' in facts(event('success', { payload: { count: '3' } })), false)
  })

  test('list the keys that an erasure closed', () => {
    assert.equal('closed' in facts(event('success')), false)
    const listed = facts(event('success', { closed: ['a'] }), { closed: ['b', 'a'] })
    assert.deepEqual(listed.closed, ['a', 'b'])
    assert.equal('closed_through' in listed, false)
    const unlisted = facts(event('success', { unlisted: { closed: ['c'], through: 9 } }))
    assert.deepEqual([unlisted.closed, unlisted.closed_through], [['c'], 9])
    const empty = facts(event('success', { unlisted: { closed: [], through: 0 } }))
    assert.deepEqual([empty.closed, empty.closed_through], [[], 0])
  })

  test('list a key that sealed these fields and was not stored', () => {
    const unkept = { ...ann, actorIndex: null, targetIndex: null }
    const known = new Map([
      ['7', unkept],
      ['8', { ...bob, actorIndex: null, targetIndex: null }],
    ])
    const of = event('failure', { payload: { user_id: 7 } })
    assert.deepEqual(facts(of, {}, known).closed, [ann.pseudonym])
    const record = made(of, {}, known)
    assert.deepEqual([record.target_key, record.target_index], [ann.pseudonym, null])
    const sealed = record.target_sealed ?? assert.fail()
    assert.deepEqual(openFields(ann.key, { id: 'record', side: 'target' }, sealed), { user_id: 7 })
  })
})

suite('the reason of a record', () => {
  for (const [payload, given, reason] of [
    [{ reason: 'wrong_password' }, undefined, 'wrong_password'],
    [{ reason: 'wrong_password' }, 'other', 'wrong_password'],
    [{ reason: `a${'b'.repeat(63)}` }, 'other', `a${'b'.repeat(63)}`],
    [{ reason: `a${'b'.repeat(64)}` }, 'other', 'other'],
    [{ reason: 'Ann asked for it' }, undefined, null],
    [{ reason: 'Ann asked for it' }, 'other', 'other'],
    [{ reason: 5 }, 'other', 'other'],
    [{}, 'other', 'other'],
    [{}, undefined, null],
  ] as const) {
    test(`${JSON.stringify(payload)} and ${given}: ${reason}`, () => {
      const more = given === undefined ? {} : { reason: given }
      assert.equal(made(event('failure', { payload }), more).reason, reason)
    })
  }
})

suite('the sides of a record', () => {
  test('without a caller, an address and facts there is no side', () => {
    const record = made(event('success'))
    const { actor_key, actor_sealed, target_key, target_sealed } = record
    assert.deepEqual([actor_key, actor_sealed, target_key, target_sealed], [null, null, null, null])
    const { actor_index, target_index, address_index, request_id } = record
    assert.deepEqual(
      [actor_index, target_index, address_index, request_id],
      [null, null, null, null],
    )
  })

  test('name, level, outcome, time and request come from the event', () => {
    const {
      at: time,
      id,
      level,
      outcome,
      request_id,
      type,
    } = made(event('failure', { context: { requestId: 'r1' } }))
    assert.deepEqual(
      [id, time, type, level, outcome, request_id],
      ['record', at, 'login', 'info', 'failure', 'r1'],
    )
  })

  test('a person is sealed under the own key, with an index for each side', () => {
    const of = event('success', { payload: { user_id: 8, role: 'admin' }, context: { by: '7' } })
    const record = made(of)
    assert.deepEqual([record.actor_key, record.target_key], [ann.pseudonym, bob.pseudonym])
    assert.deepEqual([record.actor_index, record.target_index], [ann.actorIndex, bob.targetIndex])
    assert.deepEqual(opened('actor', of, ann.key), { subject: '7' })
    assert.deepEqual(opened('target', of, bob.key), { user_id: 8, role: 'admin' })
  })

  test('a caller without a key is sealed for the service, and found by the subject', () => {
    const of = event('success', { context: { by: 'cli' } })
    const record = made(of)
    assert.equal(record.actor_key, serviceKeyName)
    assert.equal(record.actor_index, serviceIndex(keys.index, 'cli', 'actor'))
    assert.deepEqual(opened('actor', of), { subject: 'cli' })
  })

  test('an unknown caller is found by the address alone', () => {
    const of = event('failure', { context: { address: '192.0.2.1' } })
    const record = made(of)
    assert.deepEqual([record.actor_key, record.actor_index], [serviceKeyName, null])
    assert.equal(record.address_index, addressIndex(keys.index, '192.0.2.1'))
    assert.deepEqual(opened('actor', of), { address: '192.0.2.1' })
  })

  test('the request of a caller is sealed with the caller', () => {
    const whole: RequestFacts = {
      ...request,
      ...{ proxies: ['10.0.0.1'], session: 's', token: 't', keyId: 'k', username: 'ann' },
    }
    const of = event('success', { context: { by: '7', address: '192.0.2.1', request: whole } })
    assert.deepEqual(opened('actor', of, ann.key), {
      ...{ subject: '7', username: 'ann', address: '192.0.2.1', proxies: ['10.0.0.1'] },
      ...{ user_agent: 'curl', session: 's', token: 't', key: 'k' },
    })
    const unknown = event('failure', { context: { request: whole } })
    const { subject, username, proxies } = opened('actor', unknown) ?? assert.fail()
    assert.deepEqual([subject, username, proxies], [undefined, undefined, ['10.0.0.1']])
  })

  test('a login names the person, the session and the token that it makes', () => {
    const login = { username: 'ann', factors: [], session: 's', jti: 'j' }
    const of = event('success', { payload: { user_id: 7 }, login, context: { request } })
    assert.deepEqual(opened('actor', of, ann.key), {
      ...{ subject: '7', username: 'ann', user_agent: 'curl', session: 's', token: digest('j') },
    })
    const own = { ...of, payload: { user_id: 7, username: 'anna' } }
    assert.equal(opened('actor', own, ann.key)?.username, 'anna')
    const withoutJti = { ...of, login: { username: 'ann', factors: [] } }
    assert.equal('token' in (opened('actor', withoutJti, ann.key) ?? {}), false)
  })

  test('a login of another person is no login of the caller', () => {
    const login = { username: 'bob', factors: [], session: 's', jti: 'j' }
    const payload = { user_id: 8, username: 'bob' }
    const of = event('success', { payload, login, context: { by: '7', request } })
    assert.deepEqual(opened('actor', of, ann.key), { subject: '7', user_agent: 'curl' })
  })

  test('a typed name is kept as a digest if no account has it', () => {
    const of = event('failure', { typed: 'secret', payload: { reason: 'unknown' } })
    const record = made(of)
    const typed = typedName(keys.index, 'secret')
    assert.deepEqual([record.target_key, record.target_index], [serviceKeyName, typed])
    assert.deepEqual(opened('target', of), { reason: 'unknown', typed })
  })

  test('a typed name of an account is sealed with its person', () => {
    const of = event('failure', { typed: 'ann', payload: { user_id: 7 } })
    assert.equal(made(of).target_index, ann.targetIndex)
    assert.deepEqual(opened('target', of, ann.key), { user_id: 7, username: 'ann' })
    const without = event('failure', { payload: { user_id: 7 } })
    assert.deepEqual(opened('target', without, ann.key), { user_id: 7 })
  })
})
