import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { checkpointOfLine } from '../../src/modules/audit/outside/file-sink.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { masterKey } from '../master-key.ts'
import { prepareNode, type ServiceNode } from './node.ts'
import { waitUntil } from './waiting.ts'

const rounds = 4

async function reportOf(node: ServiceNode) {
  const env = { MASTER_KEY: masterKey }
  const { code, stdout, stderr } = await gatehouse(node.directory, 'audit verify --json', { env })
  assert.ok(stdout !== '', stderr)
  return { code, report: JSON.parse(stdout) }
}

suite('checkpoints of the audit log through kills and stops', () => {
  for (const workers of ['1', '2']) {
    test(`with ${workers} of WORKERS the log is whole against every line outside`, async () => {
      const env = { WORKERS: workers, AUDIT_CHECKPOINT_SECONDS: '1', LOG_LEVEL: 'info' }
      const node = prepareNode({ env })
      const file = join(node.directory, 'audit-checkpoints.jsonl')
      const lines = () => {
        try {
          return readFileSync(file, 'utf8').split('\n').slice(0, -1)
        } catch {
          return []
        }
      }
      try {
        for (let round = 0; round < rounds; round += 1) {
          await node.start()
          const before = lines().length
          const logins = Array.from({ length: 6 }, () => node.login('token'))
          await waitUntil('a checkpoint outside', () => lines().length > before)
          const isKilled = round < rounds - 1
          if (isKilled) await node.kill()
          await Promise.allSettled(logins)
          if (isKilled) {
            const { report } = await reportOf(node)
            assert.deepEqual(report.problems, [], `after kill ${round + 1}`)
            // As if the kill had come in the middle of a line; of several workers, others still write.
            if (workers === '1') writeFileSync(file, readFileSync(file, 'utf8').slice(0, -40))
          } else assert.equal(await node.stop(), 0)
        }
        const { code, report } = await reportOf(node)
        assert.deepEqual(report.problems, [])
        assert.equal(code, 0)
        assert.equal(report.uncovered.records, 0, 'a stop covers the last records')
        assert.ok(report.checked.records >= 6)
        assert.equal(report.last_outside.number, report.last_checkpoint.number)
        const numbers = lines().map((line) => checkpointOfLine(line)?.number)
        assert.ok(!numbers.includes(undefined), 'every line is whole')
        assert.deepEqual(
          [...new Set(numbers)],
          Array.from({ length: report.last_checkpoint.number }, (_, index) => index + 1),
        )
      } finally {
        await node.remove()
      }
    })
  }
})
