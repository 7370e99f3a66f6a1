import { existsSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import blurFaces from '../../../tools/image/blur-faces.ts'
import redEyeRemoval from '../../../tools/image/red-eye-removal.ts'
import smartCrop from '../../../tools/image/smart-crop.ts'
import { CORPUS, put, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const FACES = join(CORPUS, 'faces')
const portrait = join(FACES, 'portrait-girl.jpg')

describe.skipIf(!existsSync(FACES))('on photographs', () => {
  test('faces are found, hidden, and nothing else is touched', async () => {
    const { paths, names, report, warnings } = await run(blurFaces, folder, [portrait])
    expect(names).toEqual(['portrait-girl_blurred.jpg'])
    const [face] = report.faces as { x: number; y: number; w: number; h: number }[]
    expect(report.facesDetected).toBe(1)
    expect(warnings).toEqual([])
    // Measured by eye in the photograph.
    expect(Math.abs(face!.x - 187)).toBeLessThan(12)
    expect(Math.abs(face!.y - 144)).toBeLessThan(12)
    const again = await run(blurFaces, folder, paths)
    expect(again.report).toMatchObject({ facesDetected: 0, faces: [] })
    expect(again.warnings[0]).toMatch(/No face was found/)
    const [before, after] = [await readPixels(portrait), await readPixels(paths[0]!)]
    const differs = (x: number, y: number) =>
      Math.abs(before.data[(y * before.width + x) * 3]! - after.data[(y * before.width + x) * 3]!)
    const far = Array.from({ length: 100 }, (_, at) => differs(400 + at, 50 + at))
    expect(Math.max(...far)).toBeLessThan(30)
  })

  test.each(['two-people.jpg', 'two-outdoors.jpg', 'partial-face.jpg'])(
    '%s: hands and ties are no faces, and none is left',
    async (name) => {
      const wanted = { 'two-people.jpg': 2, 'two-outdoors.jpg': 3, 'partial-face.jpg': 1 }[name]
      const { paths, report } = await run(blurFaces, folder, [join(FACES, name)])
      expect(report.facesDetected).toBe(wanted)
      expect((await run(blurFaces, folder, paths)).report.facesDetected).toBe(0)
    },
  )

  test('a picture that lies on its side has its face, too', async () => {
    const turned = await put(folder, 'turned.png', sharp(portrait).rotate(90).png())
    const { report } = await run(blurFaces, folder, [turned])
    const { height } = await sharp(portrait).metadata()
    const [face] = report.faces as { x: number; y: number; w: number; h: number }[]
    // Turned clockwise, what was 144 px below the top is as far from the right.
    expect(Math.abs(face!.x + face!.w - (height! - 144))).toBeLessThan(15)
    expect(Math.abs(face!.y - 187)).toBeLessThan(15)
  })

  test('smart-crop keeps the face in the middle', async () => {
    const { paths } = await run(smartCrop, folder, [portrait], {
      mode: 'face',
      facePreset: 'closeup',
      width: 200,
      height: 200,
    })
    const { report } = await run(blurFaces, folder, paths)
    const [face] = report.faces as { x: number; y: number; w: number; h: number }[]
    expect(Math.abs(face!.x + face!.w / 2 - 100)).toBeLessThan(15)
    expect(Math.abs(face!.y + face!.h / 2 - 100)).toBeLessThan(15)
    expect(face!.h).toBeGreaterThan(90)
  })

  test('red pupils become dark and neutral', async () => {
    const eyes = [
      [632, 145],
      [702, 144],
    ] as const
    const pupil = {
      input: Buffer.from('<svg width="13" height="13"><circle cx="6.5" cy="6.5" r="5" fill="#d02020"/></svg>'),
    }
    const flashed = sharp(join(FACES, 'one-720p.jpg')).composite(
      eyes.map(([x, y]) => ({ ...pupil, left: x - 6, top: y - 6 })),
    )
    const { paths, report, names } = await run(redEyeRemoval, folder, [await put(folder, 'flash.png', flashed.png())])
    expect(names).toEqual(['flash_redeye_fixed.png'])
    expect(report).toEqual({ facesDetected: 1, eyesCorrected: 2 })
    const { data, width, channels } = await readPixels(paths[0]!)
    for (const [x, y] of eyes) {
      const [red, green, blue] = data.subarray((y * width + x) * channels)
      expect(Math.max(red!, green!, blue!)).toBeLessThan(60)
      expect(red! - Math.min(green!, blue!)).toBeLessThan(12)
    }
  })

  test('eyes that are not red stay as they are', async () => {
    const { report, warnings } = await run(redEyeRemoval, folder, [join(FACES, 'one-720p.jpg')], { format: 'original' })
    expect(report).toEqual({ facesDetected: 1, eyesCorrected: 0 })
    expect(warnings).toEqual(['No red eye was found'])
  })
})
