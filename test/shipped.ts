import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

const root = join(import.meta.dirname, '..')

/** Reads a file of the repository. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** Parses a YAML document with anchors and merge keys; null if it is empty. */
export function readYaml(path: string) {
  return parse(read(path), { merge: true, strict: true, uniqueKeys: true })
}

/** Reads the Kubernetes objects of a file, by kind. @throws Error if a document is no YAML */
export function readManifests(path: string) {
  const objects = parseAllDocuments(read(path)).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]?.message}`)
    return document.toJS()
  })
  return Object.fromEntries(objects.map((object) => [object.kind, object]))
}

export interface Instruction {
  readonly name: string
  readonly value: string
}

/** The stages of a Dockerfile, each from its FROM on. */
export function readStages(path: string): Instruction[][] {
  const lines = read(path)
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push([])
    stages.at(-1)?.push({ name, value })
  }
  return stages
}

/** The values that a stage gives to one instruction. */
export function valuesOf(stage: readonly Instruction[], wanted: string): string[] {
  return stage.filter(({ name }) => name === wanted).map(({ value }) => value)
}

/** Parses `A=1 B=2`, the form of an environment in Dockerfiles and systemd units. */
export function assignments(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(' ').map((pair) => [pair.split('=', 1)[0] ?? '', pair.replace(/^[^=]*=/, '')]),
  )
}

/** A systemd unit: the values of each key, in order. */
export function readUnit(path: string): Map<string, string[]> {
  const entries = [...read(path).matchAll(/^([A-Za-z]+)=(.*)$/gm)]
  const keys = Map.groupBy(entries, ([, key = '']) => key)
  return new Map([...keys].map(([key, found]) => [key, found.map(([, , value = '']) => value)]))
}

/** The two stages of the Dockerfile. */
export const [build = [], image = []] = readStages('Dockerfile')
export const imageEnv = assignments(valuesOf(image, 'ENV').join(' '))
export const compose = readYaml('compose.yaml')
export const nodes = ['gatehouse-1', 'gatehouse-2'].map((name) => compose.services[name])
export const home = readYaml('compose.home.yaml')
export const unit = readUnit('deploy/gatehouse.service')
export const kubernetes = readManifests('deploy/kubernetes/gatehouse.yaml')
export const pod = kubernetes.Deployment.spec.template.spec
export const [container] = pod.containers

/** The environment of the service by the way in which it is deployed. */
export const environments: Record<string, Record<string, string>> = {
  compose: { ...imageEnv, ...nodes[0].environment },
  home: { ...imageEnv, ...home.services.gatehouse.environment },
  systemd: assignments(unit.get('Environment')?.join(' ') ?? ''),
  kubernetes: {
    ...imageEnv,
    ...kubernetes.ConfigMap.data,
    ...Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    ),
  },
}
