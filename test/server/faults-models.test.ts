/** Servers that are killed or stopped during the install of models. */
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { installedModel } from '../../src/models/store/installed.ts'
import { type ModelSource, sampleBytes, serveModels } from '../helpers/model-source.ts'
import { call, signIn, startServer, type TestServer } from '../helpers/server.ts'

const FACES = { name: 'faces.bin', bytes: sampleBytes('faces') }
const OTHER = { name: 'other.bin', bytes: sampleBytes('other', 10) }
const MODELS = { faces: { files: [FACES] }, other: { files: [FACES, OTHER] } }
// Bundle names are those that tools declare.
const BUNDLES = { 'face-detection': { light: ['faces'] }, 'upscale-enhance': { light: ['other'] } }

const environmentOf = ({ environment }: ModelSource) => ({ ...environment, MODEL_OFFLINE: 'false' })

/** Requests both bundles, and waits until the first has stopped in the middle. */
async function begin(source: ModelSource, server: TestServer): Promise<string[]> {
  let answers = 0
  source.breakOff(30_000, 1)
  // The second attempt receives nothing.
  source.answers(() => {
    answers += 1
    return answers > 1
  })
  const token = await signIn(server)
  const ask = async (id: string) =>
    (await call(server, 'POST', `/api/v1/admin/features/${id}/install`, { token })).json.jobId as string
  const jobs = [await ask('face-detection'), await ask('upscale-enhance')]
  await vi.waitUntil(() => answers > 1, { timeout: 20_000 })
  source.answers(() => false)
  source.asked.length = 0
  return jobs
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'the next server resumes installs of one that ended by %s',
  async (signal) => {
    const source = await serveModels(MODELS, BUNDLES)
    const before = await startServer({ environment: environmentOf(source) })
    const jobs = await begin(source, before)
    await before.stop(signal)
    const after = await startServer({ environment: environmentOf(source), data: before.data })
    const token = await signIn(after)
    for (const id of jobs) {
      const { bytes } = await call(after, 'GET', `/api/v1/jobs/${id}/progress`, { token })
      expect(bytes.toString()).toContain('"phase":"complete"')
      expect((await call(after, 'GET', `/api/v1/jobs/${id}`, { token })).json).toMatchObject({ status: 'completed' })
    }
    // It resumes the download, and downloads shared files once.
    expect(source.asked).toEqual(['/files/faces.bin bytes=30000-', '/files/other.bin'])
    const { files } = (await installedModel('other', source.store))!
    expect(readFileSync(files.get('faces.bin')!).equals(FACES.bytes)).toBe(true)
    await after.stop()
  },
)
