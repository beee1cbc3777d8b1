import assert from 'node:assert/strict'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { answers } from '../lab/bench/answers.ts'
import { isInstalled } from '../lab/bench/install.ts'
import { parts } from '../lab/bench/parts/parts.ts'
import { counting, disturbance, isQuiet, leastTurns } from '../lab/bench/report/disturbance.ts'
import { type Figure, type Machine, median, meets, shown } from '../lab/bench/report/figure.ts'
import { page, reportFor, withFigure } from '../lab/bench/report/page.ts'
import { ratiosOf, updated, verdicts } from '../lab/bench/report/ratchet.ts'
import { altText, svg } from '../lab/bench/report/svg.ts'
import { table } from '../lab/bench/report/table.ts'
import { linesOf, takeTurns } from '../lab/bench/turns.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const figure: Figure = {
  name: 'reads',
  title: 'Reads <of all>',
  about: 'What is read.',
  unit: 'requests/s',
  lines: [
    {
      what: 'a | b',
      values: [50_000, 40_000, 45_000],
      microseconds: [20, 22, 21],
      cores: [1, 0.98, 0.99],
      comparisons: [
        { to: 'bare', values: [0.5, 0.7, 0.6], atLeast: 0.64, ratchet: 'a : bare' },
        { to: 'same headers', values: [0.8, 0.9, 0.85], atLeast: 0.8 },
      ],
    },
    { what: 'bare', values: [70_000, 72_000, 71_000], isPeer: true },
    { what: 'other', values: [], missing: 'not installed' },
    {
      what: 'memory',
      values: [120],
      unit: 'MB',
      comparisons: [{ to: 'itself', values: [120], atMost: 110 }],
    },
  ],
  commit: '1a2b3c4+',
  at: '2026-01-02T03:04:05.678Z',
  turns: '3 turns of 1 s',
  loadBefore: 0.1,
  others: 0.02,
}

const machine: Machine = {
  processor: 'A processor',
  cores: 2,
  memoryGb: 25.3,
  kernel: 'Linux 6.1',
  node: '26.10.0',
  loadAverage: [0.1, 0.2, 0.3],
  fileSystem: 'ext2/ext3',
  fsyncsPerSecond: 1234,
  versions: { express: '5.3.0' },
}

suite('the figures of the benchmark', () => {
  test('a median is the middle one, or the mean of the two in the middle', () => {
    assert.equal(median([3, 1, 2]), 2)
    assert.equal(median([4, 1, 3, 2]), 2.5)
    assert.ok(Number.isNaN(median([])))
  })

  test('numbers have three significant digits, and all digits before the point', () => {
    assert.deepEqual([123_456.7, 99.96, 1.2345, 0.000_123_4, 0, Number.NaN].map(shown), [
      '123,457',
      '100',
      '1.23',
      '0.000123',
      '0',
      '-',
    ])
  })

  test('a goal is met by the median, at its limit as well', () => {
    assert.equal(meets({ to: 'x', values: [0.1, 0.8, 0.9], atLeast: 0.8 }), true)
    assert.equal(meets({ to: 'x', values: [0.1, 0.79, 0.9], atLeast: 0.8 }), false)
    assert.equal(meets({ to: 'itself', values: [301], atMost: 300 }), false)
    assert.equal(meets({ to: 'x', values: [], atLeast: 0.8 }), false)
    assert.equal(meets({ to: 'x', values: [0.1] }), undefined)
  })

  test('the table has a row for each line and each further comparison, with goals beside them', () => {
    assert.equal(
      table(figure),
      [
        '|  | requests/s | least to most | CPU | cores | compared with | ratio | goal |  |',
        '| - | -: | -: | -: | -: | - | -: | - | - |',
        '| a \\| b | 45,000 | 40,000 to 50,000 | 21 us | 0.99 | bare | 0.60 (0.50 to 0.70) | >= 0.64 | **missed** |',
        '|  |  |  |  |  | same headers | 0.85 (0.80 to 0.90) | >= 0.8 | met |',
        '| bare | 71,000 | 70,000 to 72,000 |  |  |  |  |  |  |',
        '| other | not installed |  |  |  |  |  |  |  |',
        '| memory | 120 MB |  |  |  |  |  | <= 110 | **missed** |',
      ].join('\n'),
    )
  })

  test('a column without content is left out', () => {
    const lines = [{ what: 'a', values: [1] }]
    assert.equal(table({ ...figure, lines }), '|  | requests/s |\n| - | -: |\n| a | 1 |')
  })

  test('a ratio is made within its turn', async () => {
    const samples = new Map([
      ['a', [{ rate: 10 }, { rate: 40 }]],
      ['b', [{ rate: 20 }, { rate: 50 }]],
    ])
    const contenders = ['a', 'b'].map((name) => ({ name, run: async () => ({ rate: 0 }) }))
    const [first, second] = linesOf(contenders, samples, { a: [{ to: 'b', atLeast: 0.5 }] })
    assert.deepEqual(first?.comparisons, [{ to: 'b', values: [0.5, 0.8], atLeast: 0.5 }])
    assert.equal(second?.comparisons, undefined)
    assert.throws(
      () => linesOf(contenders, samples, { a: [{ to: 'c' }] }),
      /no contender is named c/,
    )
  })

  test('turns alternate, and the first one warms up', async () => {
    const ran: string[] = []
    const contenders = ['a', 'b'].map((name) => ({
      name,
      run: async () => {
        ran.push(name)
        return { rate: ran.length }
      },
    }))
    const plan = { turns: 2, seconds: 1, isTrial: true, nodeOptions: [] }
    const { samples, about } = await takeTurns(plan, contenders, 'a')
    assert.deepEqual(ran, ['a', 'b', 'a', 'b', 'b', 'a'])
    assert.deepEqual(samples.get('a'), [{ rate: 3 }, { rate: 6 }])
    assert.equal(about.turns, '2 turns of 1 s')
    assert.equal(about.disturbed, undefined)
  })

  test('a turn that does not count is repeated, as often as there are turns, and left out', async () => {
    const plan = { turns: 5, seconds: 1, isTrial: false, nodeOptions: [] }
    const ofTurns = async (rates: readonly number[], others: readonly number[] = []) => {
      const [left, busy] = [[100, ...rates], [...others]] // the first one warms up
      const contenders = [{ name: 'a', run: async () => ({ rate: left.shift() ?? 100 }) }]
      return takeTurns(plan, contenders, 'a', () => ({ cores: () => busy.shift() ?? 0 }))
    }
    const { samples, about } = await ofTurns([100, 60, 101, 102, 103, 104], [0, 0, 0.5])
    assert.deepEqual(
      samples.get('a')?.map(({ rate }) => rate),
      [100, 102, 103, 104, 100],
    )
    assert.equal(about.turns, '5 turns of 1 s (2 left out)')
    assert.equal(about.others, 0)
    assert.equal(about.disturbed, undefined)

    const few = await ofTurns([], Array(7).fill(1))
    assert.equal(few.samples.get('a')?.length, 3)
    assert.equal(few.about.disturbed, undefined)
    const none = await ofTurns([], Array(8).fill(1))
    assert.match(
      none.about.disturbed ?? '',
      /^Disturbed: of 10 turns 2 count, of 3 that are needed/,
    )
  })

  test('no turn is repeated where the time for it is spent', async () => {
    const contenders = [{ name: 'a', run: async () => ({ rate: 1 }) }]
    const plan = { turns: 3, seconds: 1, isTrial: false, nodeOptions: [], repeats: { leftMs: 0 } }
    const { about } = await takeTurns(plan, contenders, 'a', () => ({ cores: () => 1 }))
    assert.match(about.disturbed ?? '', /^Disturbed: of 3 turns 0 count/)
  })
})

suite('the pictures of the benchmark', () => {
  const curves = {
    ...figure,
    curves: {
      xTitle: 'users',
      yTitle: 'ms',
      x: [10, 100],
      series: [{ name: 'first', y: [0.2, 0.4] }],
    },
  }

  test('show every line of the unit, escaped, in both colour schemes, and say it in words', () => {
    const picture = svg(figure)
    assert.equal(elementsLeftOpen(picture), '')
    assert.equal(picture.match(/<rect class="ours"/g)?.length, 1)
    assert.equal(picture.match(/<rect class="peer"/g)?.length, 1)
    assert.match(picture, /Reads &lt;of all&gt;/)
    assert.match(picture, /@media \(prefers-color-scheme: dark\)/)
    assert.equal(altText(figure), 'Reads <of all>, requests/s: a | b 45,000; bare 71,000')
    assert.doesNotMatch(picture, /NaN|undefined|Infinity/)
  })

  test('are curves where sizes grow', () => {
    const picture = svg(curves)
    assert.equal(elementsLeftOpen(picture), '')
    assert.match(picture, /<path class="line c0" d="M64 [\d.]+L510 [\d.]+"\/>/)
    assert.equal(altText(curves), 'Reads <of all>: ms, from 10 to 100: first 0.2 to 0.4')
    assert.doesNotMatch(picture, /NaN|undefined|Infinity/)
  })

  test('a disturbed one shows the sentence and no number', () => {
    const disturbed = { ...curves, disturbed: 'Disturbed: by others.' }
    assert.match(svg(disturbed), /Disturbed: by others\./)
    assert.doesNotMatch(svg(disturbed), /class="(line|ours)/)
    const text = page({ machine, figures: [disturbed] })
    assert.match(text, /\n\nDisturbed: by others\.\n\n/)
    assert.doesNotMatch(text, /45,000/)
    assert.match(text, /\n0 of 0 goals are met\.\n- disturbed, not judged: \[reads\]\(#reads\)\n/)
  })
})

suite('the page of the benchmark', () => {
  test('counts the goals, and names each that is missed', () => {
    const text = page({ machine, figures: [figure] })
    assert.match(text, /\n1 of 3 goals are met\.\n/)
    assert.match(text, /\n- missed: a \| b, compared with bare \(\[reads\]\(#reads\)\)\n/)
    assert.match(text, /\n- missed: memory \(\[reads\]\(#reads\)\)\n/)
    assert.match(
      text,
      /\n2026-01-02 03:04 UTC, commit 1a2b3c4\+, 3 turns of 1 s, other programs at most 0\.02 of a core, load average before 0\.10\.\n/,
    )
  })

  test('a new figure takes the place of the old one, in the order of the parts', () => {
    const [first, second, third] = ['b', 'a', 'c'].map((name) => ({ ...figure, name }))
    assert.ok(first && second && third)
    const order = ['a', 'b', 'c']
    let report = { machine, figures: [] as readonly Figure[] }
    for (const each of [first, third, second]) report = withFigure(report, each, order)
    assert.deepEqual(report.figures, [second, first, third])
    const newer = { ...first, turns: 'once' }
    assert.deepEqual(withFigure(report, newer, order).figures, [second, newer, third])
  })

  test('nothing is kept of a disturbed figure, nor figures of another machine or other versions', () => {
    const disturbed = { ...figure, disturbed: 'Disturbed.' }
    const report = withFigure({ machine, figures: [figure] }, disturbed, ['reads'])
    assert.deepEqual(report.figures, [{ ...disturbed, lines: [] }])
    const other = { ...machine, loadAverage: [3, 2, 1], fsyncsPerSecond: 1 }
    assert.deepEqual(reportFor(other, report), { machine: other, figures: report.figures })
    assert.deepEqual(reportFor({ ...machine, node: '27.0.0' }, report).figures, [])
    assert.deepEqual(reportFor({ ...machine, versions: {} }, report).figures, [])
    assert.deepEqual(reportFor({ ...machine, versions: { express: '5.3.1' } }, report).figures, [])
    const empty = reportFor(machine, undefined)
    assert.deepEqual(empty, { machine, figures: [] })
    assert.match(page(empty), /\n## Goals\n\nNothing is measured yet/)
  })

  test('figures stay where the service is another one, which each names, or a program is new', () => {
    const earlier = { ...machine, versions: { ...machine.versions, gatehouse: '0.4.0' } }
    const report = { machine: earlier, figures: [figure] }
    const versions = { ...machine.versions, gatehouse: '0.6.0', 'nginx (Debian)': '1.22.1' }
    assert.deepEqual(reportFor({ ...machine, versions }, report).figures, [figure])
  })

  test('docs/benchmarks.md and its pictures are what the stored figures say', () => {
    const report = JSON.parse(read('docs/benchmarks/figures.json'))
    assert.equal(read('docs/benchmarks.md'), page(report))
    const figures: Figure[] = report.figures
    assert.deepEqual(
      globSync('docs/benchmarks/*.svg', { cwd: root }).toSorted(),
      figures.map(({ name }) => `docs/benchmarks/${name}.svg`).toSorted(),
    )
    for (const each of figures) {
      assert.equal(read(`docs/benchmarks/${each.name}.svg`), svg(each))
      assert.ok(each.name in parts, each.name)
    }
  })
})

suite('the ratchet of the benchmark', () => {
  test('takes the medians of the ratios that have a name in it', () => {
    assert.deepEqual(ratiosOf([figure]), { 'a : bare': 0.6 })
    assert.throws(() => ratiosOf([figure, figure]), /two ratios are named a : bare/)
  })

  test('a ratio falls by more than a tenth, or is not there', () => {
    const fell = (now: number) => verdicts({ a: 0.5 }, { a: now })[0]?.fell
    assert.deepEqual([0.5, 0.6, 0.451, 0.4499, Number.NaN].map(fell), [
      false,
      false,
      false,
      true,
      true,
    ])
    assert.equal(verdicts({ a: 0.5 }, {})[0]?.fell, true)
  })

  test('an update raises, adds and keeps, and lowers only if it may', () => {
    const [held, now] = [
      { a: 0.5, b: 0.5, c: 0.5 },
      { a: 0.61239, b: 0.4, d: 0.1, e: Number.NaN },
    ]
    assert.deepEqual(updated(held, now, false), { a: 0.612, b: 0.5, c: 0.5, d: 0.1 })
    assert.deepEqual(updated(held, now, true), { a: 0.612, b: 0.4, c: 0.5, d: 0.1 })
  })

  test('ratchet.json holds a number above 0 for each name', () => {
    const held: Record<string, unknown> = JSON.parse(read('lab/bench/ratchet.json'))
    assert.ok(Object.keys(held).length > 5)
    for (const [name, ratio] of Object.entries(held)) {
      assert.ok(typeof ratio === 'number' && ratio > 0, name)
    }
  })
})

suite('a disturbed benchmark', () => {
  const quiet = (yardstick: number) => ({ others: 0.02, yardstick })
  const busy = (yardstick: number) => ({ others: 0.853, yardstick })

  test('leaves out turns in which other programs were busy', () => {
    assert.ok(isQuiet({ others: 0.1 }))
    assert.ok(!isQuiet({ others: 0.11 }))
    assert.deepEqual(counting([quiet(100), busy(100), quiet(101)]), [true, false, true])
  })

  test('leaves out turns whose yardstick is off the median of the quiet ones', () => {
    const turns = [quiet(100), quiet(81), quiet(79), quiet(119), quiet(121), busy(1), busy(1)]
    assert.deepEqual(counting(turns), [true, true, false, true, false, false, false])
    assert.deepEqual(counting([{ others: 0 }, { others: 0.2 }]), [true, false])
  })

  test('gives figures where three of five turns count', () => {
    assert.deepEqual([1, 2, 3, 5, 9].map(leastTurns), [1, 2, 2, 3, 6])
    const turns = [quiet(100), busy(100), quiet(101), quiet(150), quiet(99)]
    assert.equal(disturbance(turns, 5, 'the bare server'), undefined)
    assert.equal(
      disturbance([...turns.slice(0, 4), busy(99)], 5, 'the bare server'),
      'Disturbed: of 5 turns 2 count, of 3 that are needed: in 2 other programs used more than 0.1 of a core (up to 0.85); in 1 the bare server, which does the same work in each turn, was more than 20 % off its median.',
    )
    assert.equal(
      disturbance([busy(1)], 1),
      'Disturbed: of 1 turns 0 count, of 1 that are needed: in 1 other programs used more than 0.1 of a core (up to 0.85).',
    )
  })
})

suite('the load generator of the benchmark', () => {
  const reading = () => {
    const seen: [number, string][] = []
    const reader = answers((status, text) => seen.push([status, text()]))
    const take = (text: string) => reader.take(Buffer.from(`${text}left from before`), text.length)
    return { seen, take }
  }
  const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

  test('reads answers one after the other, those of the same size as well', () => {
    const { seen, take } = reading()
    const other = whole.replace('200', '503')
    for (const text of [whole, whole, other]) take(text)
    assert.deepEqual(seen, [
      [200, whole],
      [200, whole],
      [503, other],
    ])
  })

  test('waits for the rest of a body', () => {
    const { seen, take } = reading()
    take(whole)
    take('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf ')
    assert.equal(seen.length, 1)
    take('other')
    assert.deepEqual(seen[1], [200, 'other'])
    take(whole)
    assert.equal(seen.length, 3)
  })

  test('reads chunks, and answers without a body', () => {
    const { seen, take } = reading()
    take('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n')
    assert.equal(seen.length, 0)
    take('0\r\n\r\n')
    take('HTTP/1.1 204 No Content\r\n\r\n')
    assert.deepEqual(
      seen.map(([status]) => status),
      [200, 204],
    )
  })

  test('says so where an answer has no length, or its head comes in pieces', () => {
    assert.throws(() => reading().take('HTTP/1.1 200 OK\r\n\r\n'), /an answer without a length/)
    assert.throws(
      () => reading().take('HTTP/1.1 200 OK\r\nConte'),
      /head of an answer came in pieces/,
    )
  })
})

suite('the programs beside the service', () => {
  const { dependencies } = JSON.parse(read('lab/bench/package.json'))
  const lock = JSON.parse(read('lab/bench/package-lock.json'))

  test('are pinned, without an address of a registry and without install scripts', () => {
    assert.deepEqual(lock.packages[''].dependencies, dependencies)
    for (const version of Object.values(dependencies))
      assert.match(String(version), /^\d+\.\d+\.\d+$/)
    for (const [path, entry] of Object.entries<Record<string, unknown>>(lock.packages)) {
      assert.equal(entry.resolved, undefined, path)
      assert.equal(entry.hasInstallScript, undefined, path)
    }
  })

  test('count as installed when npm has finished, in these versions', (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    context.after(() => rmSync(folder, { recursive: true }))
    const write = (path: string, packages: object) =>
      writeFileSync(join(folder, path), JSON.stringify({ packages }))
    const entry = (version: string) => ({ 'node_modules/a': { version } })
    const other = { 'node_modules/b': { version: '1.0.0', optional: true } }
    mkdirSync(join(folder, 'node_modules'))
    write('package-lock.json', { '': {}, ...entry('1.0.1'), ...other })
    assert.equal(isInstalled(folder), false)
    write('node_modules/.package-lock.json', entry('1.0.0'))
    assert.equal(isInstalled(folder), false)
    write('node_modules/.package-lock.json', entry('1.0.1'))
    assert.equal(isInstalled(folder), true)
  })

  test('each has a line in lab/bench/README.md, and none is a package of the project', () => {
    const text = read('lab/bench/README.md')
    const project = JSON.parse(read('package.json'))
    for (const name of Object.keys(dependencies)) {
      assert.match(text, new RegExp(`^\\| ${name} \\|`, 'm'))
    }
    for (const name of ['express', 'passport', 'better-auth', 'better-sqlite3']) {
      assert.ok(!(name in project.dependencies) && !(name in project.devDependencies), name)
    }
  })

  test('every part of the benchmark has a line in lab/bench/README.md', () => {
    const text = read('lab/bench/README.md')
    for (const name of Object.keys(parts))
      assert.match(text, new RegExp(`^\\| \`${name}\` \\|`, 'm'))
  })
})

/** Elements that are opened and not closed, or closed and not opened; empty if there is none. */
function elementsLeftOpen(picture: string): string {
  const open: string[] = []
  for (const [, close, name = '', empty] of picture.matchAll(/<(\/)?([a-z]+)(?: [^>]*?)?(\/)?>/g)) {
    if (close && open.pop() !== name) return name
    if (!close && !empty) open.push(name)
  }
  return open.join(' ')
}
