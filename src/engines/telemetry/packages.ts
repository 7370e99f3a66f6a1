import { MediaprocError } from '../../errors.ts'
import { installCommand } from '../engine.ts'
import { importPackage, libraryEngine, packageFolder } from '../library.ts'

const API = '@opentelemetry/api'
const CORE = '@opentelemetry/core'
const RESOURCES = '@opentelemetry/resources'
const SDK = '@opentelemetry/sdk-trace-base'
const EXPORTERS = {
  'http/protobuf': '@opentelemetry/exporter-trace-otlp-proto',
  'http/json': '@opentelemetry/exporter-trace-otlp-http',
} as const

/** Encodings of OTLP over HTTP, as in OTEL_EXPORTER_OTLP_PROTOCOL. */
export type Protocol = keyof typeof EXPORTERS

export const telemetryEngine = libraryEngine({
  id: 'opentelemetry',
  purpose: 'traces of serve for an OpenTelemetry collector (OTEL_EXPORTER_OTLP_ENDPOINT)',
  licence: 'Apache-2.0',
  package: SDK,
  pack: 'opentelemetry',
})

export interface Packages {
  api: typeof import('@opentelemetry/api')
  core: typeof import('@opentelemetry/core')
  resources: typeof import('@opentelemetry/resources')
  sdk: typeof import('@opentelemetry/sdk-trace-base')
  exporter: Pick<typeof import('@opentelemetry/exporter-trace-otlp-proto'), 'OTLPTraceExporter'>
}

/** @throws ENGINE_UNAVAILABLE without the packages */
export async function loadPackages(protocol: Protocol): Promise<Packages> {
  const exporter = EXPORTERS[protocol]
  if ([API, CORE, RESOURCES, SDK, exporter].some((name) => packageFolder(name) === undefined))
    throw new MediaprocError(
      'ENGINE_UNAVAILABLE',
      'OTEL_EXPORTER_OTLP_ENDPOINT needs an engine pack that is not installed',
      {
        hint: { shell: `Install it: ${installCommand('opentelemetry')}` },
        fields: { engine: 'opentelemetry', pack: 'opentelemetry' },
      },
    )
  return {
    api: await importPackage<Packages['api']>(API),
    core: await importPackage<Packages['core']>(CORE),
    resources: await importPackage<Packages['resources']>(RESOURCES),
    sdk: await importPackage<Packages['sdk']>(SDK),
    exporter: await importPackage<Packages['exporter']>(exporter),
  }
}
