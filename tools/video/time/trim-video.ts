import { checkPicture, checkStart } from '../../../src/media/av/checks.ts'
import { audioCodecFor, videoCodecFor } from '../../../src/media/av/codecs.ts'
import { beginsEarlier } from '../../../src/media/av/cut-warnings.ts'
import { keyFrameBefore } from '../../../src/media/av/input/packets.ts'
import { seeksToKeyFrame } from '../../../src/media/av/range.ts'
import { smartPart } from '../../../src/media/av/smart/smart-part.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { boolean, number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'

export default avTool({
  section: 'video',
  id: 'trim-video',
  summary: 'Cut one clip out of a video by start and end time',
  suffix: 'trimmed',
  settings: {
    startS: number('start of the clip', { short: 's', default: 0, min: 0, unit: 's' }),
    endS: number('end of the clip', { short: 'e', required: true, exclusiveMin: 0, unit: 's', example: 30 }),
    precise: boolean('frame-accurate cut, which re-encodes; otherwise copied from the previous key frame', {
      default: false,
    }),
    smart: boolean('frame-accurate like precise, but copied except for the groups of pictures at the edges', {
      default: false,
    }),
    interlace: { ...PICTURE_SETTINGS.interlace, when: { precise: true } },
    hdr: { ...PICTURE_SETTINGS.hdr, when: { precise: true } },
  },
  examples: [
    { title: 'the first second, without loss', settings: { endS: 1 } },
    { title: 'to the frame, mostly copied', settings: { startS: 0.5, endS: 1.5, smart: true } },
    { title: 'to the frame', settings: { startS: 0.5, endS: 1.5, precise: true } },
  ],
  check({ startS, endS }) {
    if (endS <= startS) throw invalidSettings(`Expected endS to be greater than startS (${startS}), got ${endS}`)
  },
  measures: ({ smart }) => smart,
  async plan(source, { startS, endS, precise: isPrecise, smart, ...rest }, { signal, warn, scratch, progress }) {
    checkStart(source, startS)
    if (smart) {
      const part = await smartPart(source, { startS, endS }, { signal, warn, scratch, progress })
      if (part) return { ...part, endsRun: true }
    }
    const precise = isPrecise || smart
    if (precise) await checkPicture(source, { startS, endS }, signal)
    const isFound = precise || seeksToKeyFrame(source)
    const asked = { timeS: startS, decodedS: startS }
    const key = isFound ? asked : await keyFrameBefore(source, startS, signal)
    for (const message of beginsEarlier({ startS: key?.timeS ?? startS, seekS: startS })) warn(message)
    // Without an earlier key frame, only an encode can start there.
    // The first frame can be decoded before the start time of the file.
    if (!precise && key) return { range: { startS: Math.max(0, key.decodedS), endS, exact: false } }
    const range = { startS, endS, exact: true }
    return {
      range,
      ...pictureOf(rest),
      encode: { video: videoCodecFor(source.extension), audio: audioCodecFor(source.extension) },
    }
  },
})
