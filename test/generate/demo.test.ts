import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/root.ts'
import { temporaryFolder } from '../helpers/tool.ts'

test('npm run demo ends with a picture, also if an earlier run left its samples', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'out/samples'), { recursive: true })
  writeFileSync(join(folder, 'out/samples/bundle.zip'), 'of an earlier demo')
  const demo = fileURLToPath(new URL('dist/src/generate/assets/demo.js', ROOT))
  const said = execFileSync(process.execPath, [demo], { cwd: folder, encoding: 'utf8' })
  expect(said).toMatch(/The picture is out\/photo\.webp/)
  expect(await sharp(join(folder, 'out/photo.webp')).metadata()).toMatchObject({ format: 'webp', width: 600 })
})
