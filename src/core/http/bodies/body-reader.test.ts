import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { suite, test } from 'node:test'
import type { FastifyRequest, RequestPayload } from 'fastify'
import { ApiError } from '../../errors.ts'
import { readBody } from './body-reader.ts'

/** Reads what is written, and notes every size that memory is asked for. */
function reader({ limit = 16_384, length, room = Number.POSITIVE_INFINITY }: Given = {}) {
  const payload = new PassThrough({ highWaterMark: 1_000_000 })
  const sizes: number[] = []
  const request = {
    routeOptions: { bodyLimit: limit },
    headers: length === undefined ? {} : { 'content-length': String(length) },
    raw: {},
  } as unknown as FastifyRequest // all that is read of it
  const held = {
    resize(bytes: number) {
      sizes.push(bytes)
      return bytes <= room
    },
  }
  const body = new Promise<Buffer>((resolve, reject) => {
    readBody(request, payload as unknown as RequestPayload, held, (error, bytes) => {
      if (bytes) resolve(bytes)
      else reject(error)
    })
  })
  return { payload, sizes, body }
}

interface Given {
  readonly limit?: number
  readonly length?: number
  readonly room?: number
}

const isRow = (row: string) => (error: unknown) => error instanceof ApiError && error.row === row

suite('a body is read', () => {
  test('in 16,000 pieces of one byte, into memory that doubles', async () => {
    const { payload, sizes, body } = reader()
    for (let index = 0; index < 16_000; index += 1) payload.write('x')
    payload.end()
    assert.equal((await body).toString(), 'x'.repeat(16_000))
    assert.deepEqual(sizes, [1024, 2048, 4096, 8192, 16_384])
  })

  test('and what is announced is not asked for before it comes', async () => {
    const { payload, sizes, body } = reader({ length: 9000 })
    assert.deepEqual(sizes, [])
    payload.write('x'.repeat(100))
    payload.write('x'.repeat(4900))
    payload.end('x'.repeat(4000))
    assert.equal((await body).length, 9000)
    assert.deepEqual(sizes, [1024, 5000, 9000])
  })

  test('an empty one takes no memory', async () => {
    const { payload, sizes, body } = reader({ length: 0 })
    payload.end()
    assert.equal((await body).length, 0)
    assert.deepEqual(sizes, [])
  })

  test('beyond the limit it is refused, announced or not, and the rest is discarded', async () => {
    await assert.rejects(reader({ length: 16_385 }).body, isRow('bodyTooLarge'))
    const { payload, body } = reader()
    payload.write('x'.repeat(16_384))
    payload.write('x')
    await assert.rejects(body, isRow('bodyTooLarge'))
    payload.write('more')
    assert.ok(payload.readableFlowing)
  })

  test('where there is no memory it is refused at the piece that wants it', async () => {
    const { payload, sizes, body } = reader({ room: 2000 })
    payload.write('x'.repeat(1000))
    payload.write('x'.repeat(1000))
    await assert.rejects(body, isRow('serviceUnavailable'))
    assert.deepEqual(sizes, [1024, 2048])
  })

  test('another length than announced, and an end midway, are no body', async () => {
    const longer = reader({ length: 3 })
    longer.payload.end('{}')
    await assert.rejects(longer.body, isRow('badRequest'))
    const cut = reader()
    cut.payload.write('{')
    cut.payload.destroy()
    await assert.rejects(cut.body, isRow('badRequest'))
    const reset = reader()
    reset.payload.destroy(new Error('reset'))
    await assert.rejects(reset.body, /reset/)
  })
})
