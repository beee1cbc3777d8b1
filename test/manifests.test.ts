import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { kubernetes, readManifests } from './shipped.ts'

const root = join(import.meta.dirname, '..')

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}

/** Validates a manifest by the schema that Kubernetes publishes for its kind. @throws Error */
async function validate(manifest: Manifest): Promise<void> {
  const models: Record<string, new (manifest: object) => { validate(): void }> = await import(
    `kubernetes-models/${manifest.apiVersion}/${manifest.kind}`
  )
  const Model = models[manifest.kind]
  assert.ok(Model, manifest.kind)
  new Model(manifest).validate()
}

suite('deploy/kubernetes, by the schemas of Kubernetes', () => {
  const files = globSync('deploy/kubernetes/*.yaml', { cwd: root }).toSorted()

  test('has valid manifests', async () => {
    const kinds: string[] = []
    for (const manifest of files.flatMap((path) => Object.values<Manifest>(readManifests(path)))) {
      await validate(manifest)
      kinds.push(manifest.kind)
    }
    assert.deepEqual(kinds.toSorted(), [
      'ConfigMap',
      'Deployment',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ])
  })

  for (const [what, spoil, problem] of [
    [
      'a value of another type',
      (pod: Spec) => ({ ...pod, securityContext: { runAsNonRoot: 'yes' } }),
      /runAsNonRoot must be boolean/,
    ],
    [
      'a container without a name',
      (pod: Spec) => ({ ...pod, containers: [{ image: 'gatehouse' }] }),
      /must have required property name/,
    ],
    [
      'a list in place of an object',
      (pod: Spec) => ({ ...pod, securityContext: [] }),
      /securityContext must be object/,
    ],
  ] as const) {
    test(`would find ${what}`, async () => {
      const deployment = structuredClone(kubernetes.Deployment)
      deployment.spec.template.spec = spoil(deployment.spec.template.spec)
      await assert.rejects(validate(deployment), problem)
    })
  }
})

type Spec = Readonly<Record<string, unknown>>
