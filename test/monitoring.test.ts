import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parse } from 'yaml'
import { testApp } from './app.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'deploy/monitoring')
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
}

const alerts: readonly Alert[] = parse(read('alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
)
const panels: readonly Panel[] = JSON.parse(read('dashboard.json')).panels
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
]

// .ci/run unpacks Debian's package there.
const promtool = join(root, 'node_modules/.cache/prometheus/usr/bin/promtool')
const hasPromtool = spawnSync(promtool, ['--version']).status === 0
const skip = hasPromtool ? false : 'promtool is not there'

function check(words: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync(promtool, words, { input, encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}${stderr}`)
}

suite('monitoring: what is shipped fits the metrics', async () => {
  const app = await testApp()
  await app.session(app.admin)
  const { text } = await app.call('GET', '/metrics', { headers: app.basic(app.admin) })
  const types = new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  )
  /** The labels that the series of a metric have, of those that have one. */
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label))

  test('every metric of the dashboard and of the alerts is at /metrics', () => {
    const used = new Set(
      expressions.flatMap((expr) => expr.match(/\b(?:gatehouse|process|nodejs)_\w+/g) ?? []),
    )
    assert.ok(used.size > 30)
    for (const name of used) {
      const family = name.replace(/_(?:bucket|sum|count)$/, '')
      const isHistogram = family !== name && types.get(family) === 'histogram'
      assert.ok(types.has(name) || isHistogram, name)
    }
  })

  test('every metric of the service is on the dashboard', () => {
    const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n')
    const elsewhere = new Set([
      'gatehouse_events_total', // docs/monitoring.md tells how to ask for one
      'gatehouse_tls_certificate_expiry_timestamp_seconds', // an alert
    ])
    for (const name of types.keys()) {
      const isOurs = name.startsWith('gatehouse_') && !elsewhere.has(name)
      assert.ok(!isOurs || new RegExp(`\\b${name}(?:_bucket|_sum|_count)?\\b`).test(shown), name)
    }
  })

  test('a counter is used by its rate or increase alone', () => {
    for (const expr of expressions) {
      for (const [, call, name = ''] of expr.matchAll(/(\w*)\(?\s*\b(gatehouse_\w+_total)\b/g)) {
        assert.ok(call === 'rate' || call === 'increase', `${call} of ${name}`)
      }
    }
  })

  test('the labels are those of the metrics, or given by Prometheus', () => {
    const known = new Set([...labels, 'instance', 'job', 'job_name', 'limit', 'sink'])
    for (const expr of expressions) {
      for (const [, list = ''] of expr.matchAll(/by \(([^)]*)\)/g)) {
        for (const label of list.split(',')) assert.ok(known.has(label.trim()), `${label}: ${expr}`)
      }
    }
  })

  test('every alert tells what to do, in docs/monitoring.md under its name', () => {
    const page = readFileSync(join(root, 'docs/monitoring.md'), 'utf8')
    assert.ok(alerts.length >= 15)
    for (const { alert, annotations } of alerts) {
      assert.equal(annotations.runbook, `docs/monitoring.md#${alert.toLowerCase()}`)
      assert.match(page, new RegExp(`^### ${alert}\\n\\n\\S`, 'm'), alert)
    }
    const described = [...page.matchAll(/^### (Gatehouse\w+)$/gm)].map(([, name]) => name)
    assert.deepEqual(
      described,
      alerts.map(({ alert }) => alert),
    )
  })

  test('every metric is described in docs/monitoring.md', () => {
    const page = readFileSync(join(root, 'docs/monitoring.md'), 'utf8')
    for (const name of types.keys()) assert.ok(page.includes(`\`${name}\``), name)
    for (const [name] of page.matchAll(/\bgatehouse_\w+/g)) assert.ok(types.has(name), name)
  })

  test('the panels do not lie on each other', () => {
    const taken = new Set<string>()
    for (const { title, gridPos } of panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(!taken.has(`${x} ${y}`), title)
          taken.add(`${x} ${y}`)
        }
      }
    }
  })

  test('promtool accepts the rules', { skip }, () => {
    check(['check', 'rules', join(folder, 'alerts.yaml')])
  })

  test('promtool: each alert is raised when it should be, and a quiet service raises none', {
    skip,
  }, () => {
    check(['test', 'rules', join(folder, 'alerts.test.yaml')])
    const tests: string = read('alerts.test.yaml')
    for (const { alert } of alerts) assert.ok(tests.includes(`alertname: ${alert}\n`), alert)
  })

  test('promtool accepts the metrics', { skip }, () => check(['check', 'metrics'], text))

  test('promtool accepts every expression of the dashboard', { skip }, () => {
    const all = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    const rules = all.map((expr, index) => ({
      record: `panel:number_${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }))
    const file = join(app.directory, 'rules.json')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    check(['check', 'rules', file])
  })
})
