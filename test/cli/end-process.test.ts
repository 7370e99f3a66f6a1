import { beforeAll, expect, test } from 'vitest'
import { builtModule, startScript } from '../helpers/node-script.ts'
import { buildProgram, statusOf } from '../helpers/program.ts'

beforeAll(buildProgram, 180_000)

/** A process with a job that was stopped by its time limit; `work` says what of it goes on. */
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

test('work that cannot be stopped is not waited for: another program with the exit code takes the place of this one', async () => {
  const { said, status } = await end('new Promise((resolve) => setTimeout(resolve, 60_000))')
  expect(said).toEqual(['TIMEOUT', 'cleaned up', 'replaced by /bin/sh sh -c exit 1'])
  expect(status).toBe(7)
})

test('work that has ended meanwhile leaves the ordinary end', async () => {
  const { said, status } = await end('new Promise((resolve) => setTimeout(resolve, 100))')
  expect(said).toEqual(['TIMEOUT', 'cleaned up'])
  expect(status).toBe(1)
})
