import { type Figure, type Machine, meets, type Report, shown } from './figure.ts'
import { altText } from './svg.ts'
import { table } from './table.ts'

/** docs/benchmarks.md. */
export function page({ machine, figures }: Report): string {
  return [
    '# Benchmarks',
    '',
    '<!-- Written by `npm run bench` from docs/benchmarks/figures.json; do not edit. -->',
    '',
    introduction,
    '',
    '## The machine',
    '',
    machineTable(machine),
    '',
    '## Versions',
    '',
    versionsTable(machine),
    '',
    goals(figures),
    ...figures.flatMap(section),
  ].join('\n')
}

/**
 * A report with a figure in place of its earlier one, in the order of the parts. Nothing that a
 * disturbed run measured is kept.
 */
export function withFigure(report: Report, figure: Figure, order: readonly string[]): Report {
  const { curves: _, ...rest } = figure
  const kept = figure.disturbed === undefined ? figure : { ...rest, lines: [] }
  const others = report.figures.filter(({ name }) => name !== figure.name)
  const figures = [...others, kept].toSorted(
    (a, b) => order.indexOf(a.name) - order.indexOf(b.name),
  )
  return { ...report, figures }
}

/**
 * A report for a machine: earlier figures stay if they are of the same machine and programs. Of the
 * service itself each figure names its commit, and a program that is new took no part in them.
 */
export function reportFor(machine: Machine, earlier: Report | undefined): Report {
  const isSame = earlier !== undefined && isOfSame(earlier.machine, machine)
  return { machine, figures: isSame ? earlier.figures : [] }
}

function isOfSame(earlier: Machine, now: Machine): boolean {
  const { gatehouse: _, ...programs } = earlier.versions
  return (
    (['processor', 'cores', 'kernel', 'node'] as const).every((key) => earlier[key] === now[key]) &&
    Object.entries(programs).every(([name, version]) => now.versions[name] === version)
  )
}

const introduction = `The service and the programs beside it run on one machine, one after the other in turns: the first, the
second, and so on, and in the next turn in the opposite order. Each turn is a few seconds long. The first turn warms
up and does not count. A figure is the median of the turns that count; beside it stand the least and the most. A
ratio is made within each turn, and its median is shown, so that a ratio is not always that of the two medians.

The load generator is \`lab/bench/generator.ts\`: a process of its own that writes prepared bytes to raw sockets on
127.0.0.1, 32 connections with one request at a time on each, unless a figure says otherwise. It parses the status and the
length of every answer; an answer that is not the expected one ends the benchmark. The column *cores* says how much of
a core the server's processes used meanwhile: close to 1.00 or above it the server is the limit, below it something
else is (the generator, the disk, a database), and the rate says less about the server. The column *CPU* is
the processor time of all of the server's processes per request, which does not depend on the generator.

*Bare node:http* is Node's own HTTP server with a handler that sends constant bytes: the least that an answer
costs in this runtime. *With the same headers* means that it sends every header that the service sends, so that the rest
of the difference is what the service does: it finds the route, verifies the credential, asks whether it was
revoked, applies the access rule, and makes the answer.

The programs beside the service do not do the same work, and the text of each figure says what they do. Each
runs as its documentation recommends for production. None of these figures says which program suits a purpose.

While a turn runs, the processor time of all other programs is read from \`/proc/stat\`. A turn in which they used
more than 0.1 of a core does not count, nor does one in which the figure's yardstick, a program that does the same work in each
turn, was more than 20 % off its median. It is left out and repeated. Where fewer than three of five turns
count in the end, the figure says that it was disturbed and shows no numbers.`

function machineTable(machine: Machine): string {
  return [
    '| | |',
    '|-|-|',
    `| Processor | ${machine.processor}, ${machine.cores} cores |`,
    `| Memory | ${shown(machine.memoryGb)} GB |`,
    `| Kernel | ${machine.kernel} |`,
    `| Load average before the run (1, 5, 15 minutes) | ${machine.loadAverage.map((value) => value.toFixed(2)).join(', ')} |`,
    `| Disk of the data | ${machine.fileSystem}, ${shown(machine.fsyncsPerSecond)} fsyncs of 4 kB per second, one after the other |`,
  ].join('\n')
}

function versionsTable({ node, versions }: Machine): string {
  const noted = (name: string) =>
    name === 'gatehouse' ? ' (in the last run; each figure names its commit)' : ''
  const rows = Object.entries({ Node: node, ...versions }).map(
    ([name, version]) => `| ${name} | ${version}${noted(name)} |`,
  )
  return ['| Program | Version |', '|-|-|', ...rows].join('\n')
}

/** How many goals are met, and which are not. */
function goals(figures: readonly Figure[]): string {
  const judged = figures
    .filter(({ disturbed }) => disturbed === undefined)
    .flatMap(({ name, lines }) =>
      lines.flatMap(({ what, comparisons = [] }) =>
        comparisons.map((comparison) => ({ name, what, comparison, isMet: meets(comparison) })),
      ),
    )
    .filter(({ isMet }) => isMet !== undefined)
  const missed = judged.filter(({ isMet }) => !isMet)
  const disturbed = figures.filter((figure) => figure.disturbed !== undefined)
  if (figures.length === 0) {
    return '## Goals\n\nNothing is measured yet on this machine with these versions: `npm run bench`.\n'
  }
  return [
    '## Goals',
    '',
    `${judged.length - missed.length} of ${judged.length} goals are met.`,
    ...missed.map(
      ({ name, what, comparison: { to } }) =>
        `- missed: ${what}${to === 'itself' ? '' : `, compared with ${to}`} ([${name}](#${name}))`,
    ),
    ...disturbed.map(({ name }) => `- disturbed, not judged: [${name}](#${name})`),
    '',
  ].join('\n')
}

function section(figure: Figure): string[] {
  const {
    name,
    title,
    about,
    disturbed,
    at,
    commit = 'unknown',
    turns,
    loadBefore,
    others,
  } = figure
  const taken =
    disturbed === undefined
      ? `${turns}, other programs at most ${others.toFixed(2)} of a core, `
      : ''
  return [
    `## ${name}`,
    '',
    `**${title}.** ${about}`,
    '',
    `![${altText(figure).replaceAll(/[[\]]/g, '')}](benchmarks/${name}.svg)`,
    '',
    disturbed ?? table(figure),
    '',
    `${at.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${taken}load average before ${loadBefore.toFixed(2)}.`,
    '',
  ]
}
