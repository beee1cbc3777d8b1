import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createCircuit } from './circuit.ts'

const random = { bytes: (length: number) => Buffer.alloc(length, 0x80) }

suite('the circuit of a mail server', () => {
  test('after a failure it lets one mail at a time through, until one arrives', () => {
    let now = 0
    const circuit = createCircuit({ clock: { now: () => now }, random })
    assert.deepEqual([circuit.isOpen(), circuit.isDoubtful()], [false, false])
    circuit.failed('421 not now')
    assert.deepEqual([circuit.isOpen(), circuit.isDoubtful()], [true, true])
    now += 60_000
    assert.deepEqual([circuit.isOpen(), circuit.isDoubtful()], [false, true])
    circuit.succeeded()
    assert.deepEqual([circuit.isOpen(), circuit.isDoubtful()], [false, false])
    assert.equal(circuit.trouble(), null)
  })

  test('the trouble began with the first failure, and says what came last', () => {
    let now = 1000
    const circuit = createCircuit({ clock: { now: () => now }, random })
    circuit.failed('421 first')
    now += 90_000
    circuit.failed('421 second')
    assert.deepEqual(circuit.trouble(), { since: 1000, response: '421 second' })
    circuit.succeeded()
    now += 90_000
    circuit.failed('421 third')
    assert.deepEqual(circuit.trouble(), { since: now, response: '421 third' })
  })
})
