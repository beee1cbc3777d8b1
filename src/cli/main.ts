#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ConfigError, loadConfig } from '../config.ts'
import { start } from '../start.ts'
import { type Command, CommandError, createOutput } from './command.ts'
import { keyCommands } from './commands/keys.ts'
import { transferCommands } from './commands/transfer.ts'

/**
 * The command line. Exit codes: 0 done, 1 failed, 2 used wrongly. Settings come from the environment,
 * as for the service.
 */
const commands: readonly Command[] = [
  {
    name: 'start',
    summary: 'Runs the service',
    run: () => start(process.env),
  },
  ...keyCommands,
  ...transferCommands,
]

const common = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
} as const

process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  try {
    await dispatch(words)
    return 0
  } catch (error) {
    if (error instanceof CommandError || error instanceof ConfigError) {
      process.stderr.write(`${error.message}\n`)
      return error instanceof CommandError ? error.exitCode : 1
    }
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

async function dispatch(words: readonly string[]): Promise<void> {
  const [first] = words
  if (first === undefined || first === '--help' || first === '-h') return void write(usage())
  const command = commands.find(
    ({ name }) => name === words.slice(0, name.split(' ').length).join(' '),
  )
  if (!command) {
    const group = commands.filter(({ name }) => name.startsWith(`${first} `))
    if (group.length === 0) throw new CommandError(`no such command: ${first}\n\n${usage()}`, 2)
    if (words.includes('--help') || words.includes('-h')) return void write(usage(group))
    throw new CommandError(usage(group), 2)
  }
  const { values, positionals } = parse(command, words.slice(command.name.split(' ').length))
  if (values.help === true) return void write(helpOf(command))
  const wanted = command.operands ?? []
  if (positionals.length !== wanted.length) throw new CommandError(helpOf(command), 2)
  await command.run({
    config: command.name === 'start' ? loadConfig({}) : loadConfig(process.env),
    operands: positionals,
    values,
    output: createOutput(values.json === true, write),
  })
}

function parse(command: Command, args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: { ...common, ...command.options },
      allowPositionals: true,
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${reason}\n\n${helpOf(command)}`, 2)
  }
}

function usage(shown: readonly Command[] = commands): string {
  const width = Math.max(...shown.map((command) => synopsis(command).length))
  const lines = shown.map((command) => `  ${synopsis(command).padEnd(width)}  ${command.summary}`)
  return `gatehouse <command> [--json] [--help]\n\n${lines.join('\n')}\n`
}

function helpOf(command: Command): string {
  return `gatehouse ${synopsis(command)}\n\n${command.summary}.\n\n  --json  for machines\n  --help  this text\n`
}

function synopsis({ name, operands = [] }: Command): string {
  return [name, ...operands.map((operand) => `<${operand}>`)].join(' ')
}

function write(text: string): void {
  process.stdout.write(text)
}
