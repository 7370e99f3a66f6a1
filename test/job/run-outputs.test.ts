import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { abandonedWork, runJob } from '../../src/job/run.ts'
import type { Job, ToolResult } from '../../src/tool/contract.ts'
import { namesIn, temporaryFolder } from '../helpers/program.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

function request(run: (job: Job) => Promise<ToolResult>) {
  const input = { files: 'none', min: 0, max: 0, accept: [] } as const
  return {
    tool: { id: 'x', section: 'files', input, run, timeoutS: 5 } as const,
    inputs: [],
    settings: {},
    destination: folder.path,
  }
}

const writes = (name: string) =>
  request(async (job) => {
    const path = await job.output(name)
    await writeFile(path, 'x')
    return { files: [{ path, name, mime: 'text/plain' }] }
  })

test.each(['../x', 'a/../../x', '/etc/x', '..'])('refuses the output name %s', async (name) => {
  await expect(runJob(writes(name), async () => 'placed')).rejects.toMatchObject({
    code: 'INVALID_FILE',
    message: `The name ${name} leads out of the output folder`,
  })
  expect(namesIn(folder.path)).toEqual([])
})

test('onOutput is called with each name before it is written, and an error that it throws ends the job', async () => {
  const refusal = new Error('not this one')
  const onOutput = async (name: string): Promise<void> => {
    expect(namesIn(folder.path)).toEqual([])
    if (name === 'b.txt') throw refusal
  }
  expect(await runJob({ ...writes('a.txt'), onOutput }, async ({ files }) => files.length)).toBe(1)
  await expect(runJob({ ...writes('b.txt'), onOutput }, async () => 0)).rejects.toMatchObject({ cause: refusal })
})

test('place moves additional paths next to the outputs, removed afterwards', async () => {
  const further = await runJob(writes('a.txt'), async ({ files }, stage) => [files[0]!.path, await stage('b/c.zip')])
  expect(further[1]).toBe(join(further[0]!, '..', 'b', 'c.zip'))
  expect(namesIn(folder.path)).toEqual([])
})

test('tracks work that cannot be stopped until it ends', async () => {
  let finish = (): void => {}
  const endless = request(() => new Promise((resolve) => (finish = () => resolve({ files: [] }))))
  const controller = new AbortController()
  const running = runJob({ ...endless, signal: controller.signal }, async () => 0)
  await new Promise((resolve) => setTimeout(resolve, 10))
  controller.abort()
  await expect(running).rejects.toMatchObject({ code: 'CANCELED' })
  const rest = abandonedWork()
  expect(rest).toBeInstanceOf(Promise)
  finish()
  await rest
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect(abandonedWork()).toBeUndefined()
})
