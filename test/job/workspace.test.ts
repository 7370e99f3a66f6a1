import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { stagingFolders, Workspace } from '../../src/job/workspace.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()

test('a removed workspace is not recreated by work that continues', async () => {
  const workspace = new Workspace(folder)
  const scratch = await workspace.scratch()
  await workspace.output('a.txt')
  await workspace.remove()
  await expect(workspace.output('b.txt')).rejects.toMatchObject({ code: 'CANCELED' })
  await expect(workspace.scratch()).rejects.toMatchObject({ code: 'CANCELED' })
  expect(existsSync(scratch)).toBe(false)
  expect(readdirSync(folder)).toEqual([])
})

test('the jobs of a run use a staging folder one after the other, if it is empty and nothing can write into it', async () => {
  const shared = stagingFolders()
  const stagedBy = async (end: { isDone: boolean }, leave = false, own = folder): Promise<string> => {
    const workspace = new Workspace(own, { shared })
    const path = await workspace.output('a.txt')
    if (leave) writeFileSync(path, '')
    await workspace.remove(end)
    return dirname(path)
  }
  const first = await stagedBy({ isDone: true })
  expect(await stagedBy({ isDone: true })).toBe(first)
  expect(await stagedBy({ isDone: false })).toBe(first)
  expect(existsSync(first)).toBe(false)
  const second = await stagedBy({ isDone: true }, true)
  expect([second === first, existsSync(second)]).toEqual([false, false])
  const third = await stagedBy({ isDone: true })
  rmSync(third, { recursive: true })
  expect(await stagedBy({ isDone: true })).not.toBe(third)
  const both = [new Workspace(folder, { shared }), new Workspace(folder, { shared })]
  const [one, other] = await Promise.all(both.map((workspace) => workspace.output('a.txt')))
  expect(one).not.toBe(other)
  for (const workspace of both) await workspace.remove({ isDone: true })
  for (let index = 0; index < 12; index += 1) await stagedBy({ isDone: true }, false, `${folder}/sub-${index}`)
  await shared.remove()
  const left = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  expect(left.filter((name) => name.includes('.mediaproc-'))).toEqual([])
  await stagedBy({ isDone: true })
  expect(readdirSync(folder).filter((name) => name.startsWith('.mediaproc-'))).toEqual([])
})
