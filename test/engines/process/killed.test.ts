import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { makeOwnedFolder, removeLeftFolders } from '../../../src/engines/process/owned-folder.ts'
import { builtModule, numbersOf, startScript } from '../../helpers/node-script.ts'
import { buildProgram } from '../../helpers/program.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

beforeAll(buildProgram, 180_000)
const folder = temporaryFolder()

const isThere = (processId: number): boolean => {
  try {
    process.kill(processId, 0)
    return !/\) Z/.test(existsSync('/proc') ? readFileSync(`/proc/${processId}/stat`, 'utf8') : '')
  } catch {
    return false
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('a program ends with the process that started it, even after SIGKILL', async () => {
  const forever = 'console.log(process.pid); setInterval(() => {}, 1000)'
  const child = startScript(
    `import { runProgram } from ${builtModule('src/engines/process/process.js')}
    const onLine = (line) => console.log(line)
    await runProgram(process.execPath, ['-e', ${JSON.stringify(forever)}], { what: 'a program', onLine })`,
  )
  const [program] = await numbersOf(child, () => child.kill('SIGKILL'))
  expect(program).toBeGreaterThan(1)
  await until(() => !isThere(program!))
})

test('removes folders of ended processes, and keeps others', async () => {
  const child = startScript(
    `import { makeOwnedFolder } from ${builtModule('src/engines/process/owned-folder.js')}
    makeOwnedFolder(${JSON.stringify(folder)}, '.x-')
    console.log(process.pid)
    process.kill(process.pid, 'SIGKILL')`,
  )
  await numbersOf(child, () => {})
  const [left] = readdirSync(folder)
  writeFileSync(join(folder, left!, 'half'), 'x')
  const own = makeOwnedFolder(folder, '.x-')
  const others = ['.x-', '.x-mine', left!.replace(/^\.x-\w{8}/, '.x-00000000'), left!.replace('.x-', '.y-')]
  for (const name of others) mkdirSync(join(folder, name))
  await removeLeftFolders(folder, '.x-')
  expect(readdirSync(folder).sort()).toEqual([...others, own.slice(folder.length + 1)].sort())
})
