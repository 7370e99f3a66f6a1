import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { changeTags, hasExiftool } from '../../src/engines/exiftool.ts'
import { plain, put } from '../helpers/picture.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const never = new AbortController().signal
const available = await hasExiftool()
afterEach(() => {
  vi.unstubAllEnvs()
})

async function files(): Promise<{ original: string; copy: string }> {
  const original = await put(folder, 'original.jpg', await plain(8, 8, '#224466').jpeg().toBuffer())
  const copy = join(folder, 'copy.jpg')
  copyFileSync(original, copy)
  return { original, copy }
}

test.skipIf(!available)('applies several changes, and reads both files', async () => {
  const changes = [['-IFD0:Artist=Ada', '-IFD0:Nonsense=1'], ['-XMP-dc:Title=Hills']]
  const { before, after, warnings } = await changeTags(await files(), changes, never)
  expect(before).not.toHaveProperty('IFD0:Artist')
  expect(after).toMatchObject({ 'IFD0:Artist': 'Ada', 'XMP-dc:Title': 'Hills' })
  expect(warnings).toEqual([expect.stringContaining('IFD0:Nonsense')])
})

test.skipIf(!available)('what cannot be read is not reported as unchanged', async () => {
  const script = join(folder, 'silent')
  writeFileSync(script, 'exit 1;\n')
  chmodSync(script, 0o755)
  vi.stubEnv('MEDIAPROC_EXIFTOOL', script)
  await expect(changeTags(await files(), [['-IFD0:Artist=Ada']], never)).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
  })
})
