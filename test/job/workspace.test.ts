import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Workspace } from '../../src/job/workspace.ts'
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
