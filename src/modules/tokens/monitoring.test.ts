import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeasurements } from '../../core/measurements/measurements.ts'
import type { Counting } from '../../core/module/monitoring.ts'
import type { Needs } from '../../core/module/services.ts'
import { monitoring } from './monitoring.ts'

test('issued, revoked and reused tokens are counted, each kind from 0', () => {
  const measurements = createMeasurements()
  const given: Record<string, readonly object[]> = {
    authn_token_created: [{ grant: 'login' }, { grant: 'refresh' }, { grant: 'login' }],
    authn_token_revoked: [{ reason: 'client' }],
    authn_token_reuse: [{ kind: 'access' }, { kind: 'refresh' }, { kind: 'refresh' }],
  }
  const counts = () =>
    (monitoring.processMetrics?.({ measurements } as Needs, '') ?? []).map(({ name, values }) => [
      name,
      values.map(({ labels, value }) => [...Object.entries(labels ?? {}).flat(), value]),
    ])
  const families = (...[login, refresh, client, reuse, access]: number[]) => [
    [
      'gatehouse_tokens_issued_total',
      [
        ['grant', 'login', login],
        ['grant', 'refresh', refresh],
      ],
    ],
    [
      'gatehouse_tokens_revoked_total',
      [
        ['reason', 'logout', 0],
        ['reason', 'administrator', 0],
        ['reason', 'client', client],
      ],
    ],
    [
      'gatehouse_token_reuse_total',
      [
        ['kind', 'refresh', reuse],
        ['kind', 'access', access],
      ],
    ],
  ]
  assert.deepEqual(counts(), families(0, 0, 0, 0, 0))
  const events: Counting['events'] = (names, count) => {
    for (const payload of names.flatMap((name) => given[name] ?? [])) {
      count({ payload } as Parameters<typeof count>[0])
    }
  }
  monitoring.count?.(measurements, { events, refusals: () => {} })
  assert.deepEqual(counts(), families(2, 1, 1, 2, 1))
  const [series] = monitoring.series ?? []
  const issued = series?.counted(measurements).map(({ values, count }) => [...values, count])
  assert.deepEqual(issued, [
    ['login', 2],
    ['refresh', 1],
  ])
})
