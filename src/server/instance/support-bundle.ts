import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { zipFiles } from '../../media/zip.ts'
import type { ServerContext } from '../context.ts'
import { sendFile } from '../http/send-file.ts'

/** Names of start-up settings whose values are confidential. */
const SECRET = /password|secret|token|key/i

/** A copy with secrets redacted at any depth. */
function withoutSecrets(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (SECRET.test(name) && one !== '') return [name, '********']
      return [name, typeof one === 'object' && one !== null && !Array.isArray(one) ? withoutSecrets(one) : one]
    }),
  )
}

/** Health, configuration and settings as a ZIP. Secrets are redacted; it contains no files and no names of users. */
export async function supportBundle(
  { config, store }: ServerContext,
  reply: FastifyReply,
  health: Record<string, unknown>,
): Promise<FastifyReply> {
  const folder = await mkdtemp(join(tmpdir(), 'mediaproc-support-'))
  reply.raw.once('close', () => void rm(folder, { recursive: true, force: true }))
  const blanked = withoutSecrets(config)
  const settings = Object.keys(await store.settings.all())
  const documents = {
    'health.json': health,
    'configuration.json': blanked,
    'settings.json': { keys: settings },
    'platform.json': { node: process.version, platform: process.platform, arch: process.arch },
  }
  for (const [name, value] of Object.entries(documents))
    await writeFile(join(folder, name), `${JSON.stringify(value, null, 2)}\n`)
  const path = join(folder, 'mediaproc-support.zip')
  await zipFiles(
    Object.keys(documents).map((name) => ({ name, path: join(folder, name) })),
    path,
  )
  return sendFile(reply.request, reply, { path, name: 'mediaproc-support.zip' })
}
