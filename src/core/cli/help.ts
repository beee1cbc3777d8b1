import { asDocumented, gatehouse } from '../hints/command-line.ts'
import type { CommandRow } from '../module/module.ts'
import { type Command, type CommandOption, exitCodes } from './command.ts'

export const commonOptions = {
  json: { type: 'boolean', doc: 'the result as JSON' },
  verbose: { type: 'boolean', short: 'v', doc: 'events and warnings on standard error' },
  help: { type: 'boolean', short: 'h', doc: 'this text' },
} as const satisfies Record<string, CommandOption>

const terminalWidth = 80

/** A group lists its commands; the overview lists groups. */
export function usage(commands: readonly CommandRow[]): string {
  const groups = [...Map.groupBy(commands, ({ name }) => name.split(' ', 1)[0] ?? name)]
  const rows =
    groups.length > 1
      ? groups.map(([word, rows]) => overviewOf(word, rows))
      : commands.map((command) => [synopsis(command), command.summary] as const)
  return `${gatehouse} <command> [options]\n\n${columns(rows)}\nMore: ${gatehouse} help <command>\n`
}

/** The only command, or the subcommands. */
function overviewOf(word: string, rows: readonly CommandRow[]): readonly [string, string] {
  const [first] = rows
  if (first && rows.length === 1) return [synopsis(first), first.summary]
  const alone = rows.find(({ name }) => name === word)
  const others = rows.filter((row) => row !== alone).map(({ name }) => name.slice(word.length + 1))
  const ofAlone = alone && `${alone.summary}; also:`
  return [word, [...(ofAlone ? [ofAlone] : []), others.join(', ')].join(' ')]
}

export function helpOf(command: Command, called = gatehouse): string {
  const options = Object.entries({ ...command.options, ...commonOptions })
  const rows = options.map(([name, option]) => [optionOf(name, option), option.doc ?? ''] as const)
  const example = command.example
    ? `\nExample:\n${shellLines(`${called} ${command.example}`).join('\n')}\n`
    : ''
  const summary = wrapped(`${command.summary}.`, terminalWidth).join('\n')
  const heading = wrapped(`${called} ${synopsis(command)} [options]`, terminalWidth).join('\n  ')
  return `${heading}\n\n${summary}\n\n${columns(rows)}${example}`
}

/** Generates docs/command-line.md. */
export function describeCommands(commands: readonly Command[]): string {
  const codes = Object.values(exitCodes).map(({ code, meaning }) => `| ${code} | ${meaning}. |`)
  const sections = commands.map(
    (command) =>
      `## ${command.name}\n\n\`\`\`\n${asDocumented(helpOf(command, 'gatehouse'))}\`\`\`\n`,
  )
  return `${introduction}
## Exit codes

| Code | Meaning |
|---|---|
${codes.join('\n')}

${sections.join('\n')}`
}

const introduction = `# Command line

All documents write \`gatehouse <command>\`. How you call it depends on what you have:

| You have | \`gatehouse\` is |
|---|---|
| a clone of the sources | \`npm run -s gatehouse --\`, in its folder |
| the package as a dependency | \`npx gatehouse\` |
| the image | \`docker exec <container> gatehouse\` |
| a release with its own Node, as with systemd | \`bin/node dist/cli/main.js\`, in its folder, as the user of the service |

\`alias gatehouse='npm run -s gatehouse --'\` makes each command of the documents work in a clone as it is written. The program,
its log and the console show each command in the form that works where they run.

Settings come from the environment, as for the service: the same \`DATA_DIR\` is the same database. This
page is generated from the table of commands (\`npm run docs\`).

- A command works on the database itself, also while the service runs. The service sees each change at
  its next request. Sessions and tokens end as after a change by an administrator over HTTP.
- Results are on standard output, and with \`--json\` they are JSON; everything else is on standard error.
  A list is an array with one row per line.
- A password is typed twice at a prompt without echo, or read with \`--password-stdin\`; a token likewise.
  Neither is ever an argument: the list of processes shows arguments, and shells store them.
- With \`--verbose\`, the events of a change (\`by: "cli"\`) go to standard error, as JSON lines.
- Only \`start\` and \`migrate\` create a missing database or change an older schema. Any other command
  fails for a mistyped \`DATA_DIR\`, and leaves the schema of an older service as it is.
- A mistake is told in one sentence, after \`error:\`. Where the usage is wrong, the next line names the help.
- A warning, for example that the running service has other settings, is a line after \`warning:\`.
- A service leaves digests of its settings in its \`DATA_DIR\`, by which a command tells the difference. It is not
  told of a service on another machine, or of one that was killed.
- Completion: \`source <(gatehouse completion bash)\` in \`~/.bashrc\`; \`source <(gatehouse completion zsh)\` after
  \`compinit\` in \`~/.zshrc\`; \`gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish\`.
- \`gatehouse --version\` prints the version, and \`gatehouse help\` all commands.
- \`gatehouse account list | head\` ends quietly, with 0.
`

function synopsis({ name, operands = [] }: CommandRow): string {
  return [name, ...operands.map(operandOf)].join(' ')
}

/** Brackets: optional. */
export function operandOf(operand: string): string {
  const [, inside] = /^\[(.*)\]$/.exec(operand) ?? []
  if (inside !== undefined) return `[${operandOf(inside)}]`
  return operand.endsWith('...') ? `<${operand.slice(0, -'...'.length)}>...` : `<${operand}>`
}

function optionOf(name: string, { short, type, value = 'text' }: CommandOption): string {
  const long = `--${name}${type === 'string' ? ` <${value}>` : ''}`
  return short ? `-${short}, ${long}` : long
}

/** Wraps the right column. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  const room = terminalWidth - width - 4
  return rows
    .flatMap(([left, right]) =>
      wrapped(right, room).map(
        (line, index) => `  ${(index > 0 ? '' : left).padEnd(width)}  ${line}`,
      ),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/** Wraps with backslashes. */
function shellLines(command: string): string[] {
  const parts = /(?:--[\w-]+ (?!-))?(?:'[^']*'|"[^"]*"|[^\s'"])+/g // an option with its value
  const [first = '', ...words] = command.match(parts) ?? []
  const lines: string[] = []
  let line = `  ${first}`
  for (const word of words) {
    if (line.length + word.length + ' '.length + ' \\'.length <= terminalWidth) {
      line = `${line} ${word}`
    } else {
      lines.push(`${line} \\`)
      line = `    ${word}`
    }
  }
  return [...lines, line]
}

/** Longer words are not split. */
function wrapped(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}
