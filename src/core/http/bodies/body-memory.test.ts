import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { suite, test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bodyMemory } from './body-memory.ts'

const free = 1024

/** A request on a connection, of an authenticated or an anonymous caller. */
function requestOf({ isKnown = false, socket = new EventEmitter() } = {}) {
  const response = new EventEmitter()
  const request = { principal: isKnown ? {} : null, raw: { socket } }
  return {
    request: request as unknown as FastifyRequest, // all that is read of it
    reply: { raw: response } as unknown as FastifyReply,
    response,
    socket,
  }
}

suite('the memory for all bodies', () => {
  const limits = { maxAnonymousBytes: 1000, maxBytes: 5000 }
  const opened = (memory: ReturnType<typeof bodyMemory>, options = {}) => {
    const one = requestOf(options)
    return { ...one, held: memory.open(one.request, one.reply) }
  }

  test('is bounded over all requests, and the first KiB of each is free', () => {
    const memory = bodyMemory(limits)
    const [first, second, third] = [opened(memory), opened(memory), opened(memory)]
    assert.equal(first.held.resize(free + 600), true)
    assert.equal(second.held.resize(free + 400), true)
    assert.equal(third.held.resize(free + 1), false)
    assert.equal(third.held.resize(free), true)
    assert.equal(second.held.resize(free + 401), false) // what it has stays
    assert.equal(first.held.resize(free + 599), true)
    assert.equal(third.held.resize(free + 1), true)
  })

  test('is apart for authenticated callers', () => {
    const memory = bodyMemory(limits)
    assert.equal(opened(memory).held.resize(free + 1000), true)
    assert.equal(opened(memory).held.resize(free + 1), false)
    assert.equal(opened(memory, { isKnown: true }).held.resize(free + 5000), true)
    assert.equal(opened(memory, { isKnown: true }).held.resize(free + 1), false)
  })

  for (const [what, end] of Object.entries({
    'its answer is out': 'response',
    'its connection ends': 'socket',
  } as const)) {
    test(`is given back once ${what}, and once only`, () => {
      const memory = bodyMemory(limits)
      const one = opened(memory)
      assert.equal(one.held.resize(free + 1000), true)
      one[end].emit('close')
      one.response.emit('close')
      one.socket.emit('close')
      assert.equal(one.held.resize(free + 1), false) // it is over
      assert.equal(opened(memory).held.resize(free + 1000), true)
      assert.equal(opened(memory).held.resize(free + 1), false)
    })
  }

  test('listens once to the end of a connection, however many requests it has', () => {
    const memory = bodyMemory(limits)
    const socket = new EventEmitter()
    const all = Array.from({ length: 30 }, () => opened(memory, { socket }))
    assert.equal(socket.listenerCount('close'), 1)
    for (const { held } of all.slice(0, 10)) assert.equal(held.resize(free + 100), true)
    all[0]?.response.emit('close')
    assert.equal(opened(memory).held.resize(free + 100), true)
    socket.emit('close')
    assert.equal(opened(memory).held.resize(free + 900), true)
  })
})
