import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { warmUp } from '../../src/pool/warm-up.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const parent = temporaryFolder()

test('warming up completes, leaves nothing, and fails silently', async () => {
  const folder = mkdtempSync(join(parent, 'warm-'))
  expect(await warmUp(folder)).toBe(true)
  expect(readdirSync(folder)).toEqual([])
  expect(await warmUp(join(folder, 'none'))).toBe(false)
})
