import type { TelemetryOptions } from '../engines/telemetry/telemetry.ts'
import {
  environmentFlag,
  environmentNumber,
  environmentSecret,
  environmentText,
  environmentWord,
} from '../environment.ts'
import { MediaprocError } from '../errors.ts'

const PROTOCOLS = ['http/protobuf', 'http/json'] as const
const SAMPLERS = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
]

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const

/** Checks what OpenTelemetry reads itself, because it would replace a wrong value by the default. */
function checkOwnVariables(): void {
  environmentWord('OTEL_TRACES_SAMPLER', SAMPLERS)
  if (environmentNumber('OTEL_TRACES_SAMPLER_ARG') > 1)
    throw new MediaprocError('INVALID_CONFIG', 'Expected a number from 0 to 1 for OTEL_TRACES_SAMPLER_ARG')
  if (environmentNumber('OTEL_EXPORTER_OTLP_TIMEOUT') === 0)
    throw new MediaprocError('INVALID_CONFIG', 'Expected a number of milliseconds for OTEL_EXPORTER_OTLP_TIMEOUT')
}

/**
 * Where traces are sent; undefined if nowhere.
 * @throws MediaprocError INVALID_CONFIG naming the variable
 */
export function readTelemetry(): TelemetryOptions | undefined {
  const name = ENDPOINTS.find((one) => environmentText(one).trim() !== '')
  if (name === undefined || environmentFlag('OTEL_SDK_DISABLED')) return undefined
  const endpoint = environmentText(name).trim()
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new MediaprocError('INVALID_CONFIG', `Expected an address such as http://localhost:4318 for ${name}`, {
      hint: { shell: 'It begins with http:// or https://; without it, nothing is traced.' },
    })
  checkOwnVariables()
  return {
    protocol: environmentWord('OTEL_EXPORTER_OTLP_PROTOCOL', PROTOCOLS),
    headers: environmentSecret('OTEL_EXPORTER_OTLP_HEADERS'),
    serviceName: environmentText('OTEL_SERVICE_NAME').trim(),
    resourceAttributes: environmentText('OTEL_RESOURCE_ATTRIBUTES'),
  }
}
