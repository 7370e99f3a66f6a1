import { expect, test, vi } from 'vitest'
import { openKeyring } from '../../src/engines/keyring.ts'
import { openRedis } from '../../src/engines/redis/redis.ts'
import { openBucket } from '../../src/engines/s3/s3.ts'
import { openTelemetry } from '../../src/engines/telemetry/telemetry.ts'

vi.mock('../../src/engines/library.ts', async (original) => ({
  ...(await original<typeof import('../../src/engines/library.ts')>()),
  packageFolder: () => undefined,
}))

const s3 = { bucket: 'media', region: 'us-east-1', prefix: '', forcePathStyle: false, presign: false }
const traces = { protocol: 'http/json', headers: '', serviceName: '', resourceAttributes: '' } as const

test.each([
  ['redis', 'REDIS_URL', () => openRedis({ url: 'redis://localhost' }, 'test')],
  ['keyring', '--keyring', () => openKeyring()],
  ['s3', 'S3_BUCKET', () => openBucket(s3)],
  ['opentelemetry', 'OTEL_EXPORTER_OTLP_ENDPOINT', () => openTelemetry(traces, () => {})],
] as const)('without the pack %s, the error has the command that installs it', async (pack, variable, open) => {
  await expect(open()).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: `${variable} needs an engine pack that is not installed`,
    hint: `Install it: mediaproc engines install ${pack}`,
    fields: { pack },
  })
})
