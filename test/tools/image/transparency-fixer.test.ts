import sharp from 'sharp'
import { expect, test } from 'vitest'
import { defringed } from '../../../tools/image/background/transparency-fixer/defringe.ts'
import transparencyFixer from '../../../tools/image/background/transparency-fixer.ts'
import { redIsSubject } from '../../helpers/matting.ts'
import { stubModel } from '../../helpers/models.ts'
import { put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
stubModel(folder, 'u2netp', redIsSubject(320))

test('makes a painted checkerboard transparent, keeps the subject', async () => {
  const board = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80"><defs><pattern id="p" width="16" height="16" patternUnits="userSpaceOnUse"><rect width="16" height="16" fill="#00ffff"/><rect width="8" height="8" fill="#00cccc"/></pattern></defs><rect width="120" height="80" fill="url(#p)"/><rect x="40" y="20" width="40" height="40" fill="#ff0000"/></svg>',
  )
  const input = await put(folder, 'fake.png', sharp(board).removeAlpha().png())
  const { paths, names } = await run(transparencyFixer, folder, [input], { outputFormat: 'webp' })
  expect(names).toEqual(['fake_fixed.webp'])
  const { data } = await sharp(paths[0]!).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [...data.subarray((y * 120 + x) * 4, (y * 120 + x) * 4 + 4)]
  expect(at(60, 40)).toEqual([255, 0, 0, 255])
  expect([at(10, 10), at(110, 70), at(36, 40)]).toEqual(Array(3).fill([0, 0, 0, 0]))
  const kept = await run(transparencyFixer, folder, [input], { outputFormat: 'webp', keepColors: true })
  const colours = await sharp(kept.paths[0]!).raw().toBuffer()
  expect([...colours.subarray((70 * 120 + 110) * 4, (70 * 120 + 110) * 4 + 4)]).toEqual([0, 255, 255, 0])
})

test('removes a rim, more of it with strength; 0 keeps it', async () => {
  // One row: transparent, a rim of 60 and 120, then solid.
  const values = [0, 0, 0, 0, 0, 60, 120, 255, 255, 255, 255, 255]
  const matte = { data: Buffer.from(values), width: 12, height: 1, model: '' }
  const blurred = Buffer.from([0, 0, 0, 5, 25, 60, 130, 190, 235, 255, 255, 255])
  expect([...defringed(matte, blurred, 30)].slice(4, 8)).toEqual([0, 0, 0, 255])
  expect([...defringed(matte, blurred, 5)].slice(4, 8)).toEqual([0, 0, 120, 255])
})
