import { readFileSync } from 'node:fs'
import type { CreateTracing } from '../../core/runtime/tracing.ts'

/** OpenTelemetry packages are optional peer dependencies. @throws Error with the install command */
export async function loadTracing(): Promise<CreateTracing> {
  try {
    return (await import('./start.ts')).createTracing
  } catch (error) {
    if (!String(error).includes('@opentelemetry/')) throw error
    throw new Error(
      `traces need packages that are not installed; install the packages with \`${installCommand()}\`, or unset OTEL_EXPORTER_OTLP_ENDPOINT`,
    )
  }
}

/** Installs tested versions. */
export function installCommand(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  const versions: Record<string, string> = JSON.parse(text).peerDependencies
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
  return `npm install ${packages.join(' ')}`
}
