import { beforeAll, expect, test } from 'vitest'
import { builtModule, startScript } from '../helpers/node-script.ts'
import { buildProgram, statusOf } from '../helpers/program.ts'

beforeAll(buildProgram, 180_000)

/** A process with a job that its time limit stopped; `work` is the part that continues. */
const script = (work: string): string => `
import { endProcess } from ${builtModule('src/cli/signals.js')}
import { runJob } from ${builtModule('src/job/run.js')}
process.execve = (file, args) => {
  console.log('replaced by', file, ...args)
  process.reallyExit(7)
}
process.once('exit', () => console.log('cleaned up'))
const input = { accept: ['*'], files: 'none', min: 0 }
const tool = { id: 'slow', section: 'image', input, timeoutS: 0.01, run: () => ${work} }
await runJob({ tool, inputs: [], settings: {}, destination: '.' }, async () => {}).catch(({ code }) => console.log(code))
await endProcess(1)
`

async function end(work: string): Promise<{ said: string[]; status: number }> {
  const child = startScript(script(work))
  let said = ''
  child.stdout!.on('data', (chunk) => {
    said += chunk
  })
  const status = await statusOf(child)
  return { said: said.trim().split('\n'), status }
}

test('does not wait for work that cannot be stopped: replaces the process by a program with the same exit code', async () => {
  const { said, status } = await end('new Promise((resolve) => setTimeout(resolve, 60_000))')
  expect(said).toEqual(['TIMEOUT', 'cleaned up', 'replaced by /bin/sh sh -c exit 1'])
  expect(status).toBe(7)
})

test('exits normally if the work has ended meanwhile', async () => {
  const { said, status } = await end('new Promise((resolve) => setTimeout(resolve, 100))')
  expect(said).toEqual(['TIMEOUT', 'cleaned up'])
  expect(status).toBe(1)
})
