import { MediaprocError } from '../../../src/errors.ts'
import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { knownContainer } from '../../../src/media/av/containers.ts'
import { outputExtension, planAv } from '../../../src/media/av/filters/graph.ts'
import type { AvPart } from '../../../src/media/av/input/part.ts'
import { preparePicture } from '../../../src/media/av/picture/study.ts'
import { printableName } from '../../../src/media/file.ts'
import { suffixedName } from '../../../src/media/naming.ts'
import { mimeOf } from '../../../src/media/type.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { PICTURE_SETTINGS } from '../_shared/picture-settings.ts'
import { joinReversed } from './reverse-video/join.ts'
import { writeReversedParts } from './reverse-video/parts.ts'

/** Longer videos are refused (catalogue). */
const MAX_LENGTH_S = 300

/** Share of the work for the video; the rest is for audio and joining. */
const PICTURE_SHARE = 0.9

/** How each type of stream is handled. */
const BACKWARDS: AvPart = {
  ...{ videoFilters: ['reverse'], audioFilters: ['areverse'], singleVideo: true },
  changesDuration: (durationS) => durationS,
}

export default avTool({
  section: 'video',
  id: 'reverse-video',
  summary: 'Play a video and its sound backwards',
  suffix: 'reversed',
  settings: { ...PICTURE_SETTINGS },
  batch: true,
  examples: [{ title: 'backwards' }],
  async produce([given], choice, context) {
    const source = given
    const { durationS = 0 } = source.info
    if (durationS > MAX_LENGTH_S)
      throw new MediaprocError(
        'LIMIT_EXCEEDED',
        `${printableName(source.name)} is ${Math.round(durationS)} s long; the limit is ${MAX_LENGTH_S} s`,
        {
          hint: {
            shell: 'Trim the video first: mediaproc video trim-video.',
            http: 'Trim the video first, with the tool trim-video.',
          },
        },
      )
    const { signal } = context
    const extension = outputExtension(source, [])
    const name = suffixedName(source, 'reversed', extension)
    const path = await context.output(name)
    const [options, container] = [videoCodecFor(extension), knownContainer(extension)]
    const picture = await preparePicture(source, { choice, options, container, filters: [] }, context)
    const damage = new Set<string>()
    const parts = await writeReversedParts(source, picture, await context.scratch(), {
      signal,
      warn: (message) => damage.add(message),
      progress: (fraction) => context.progress(fraction * PICTURE_SHARE, 'reversing'),
    })
    for (const message of damage) context.warn(message)
    if (parts.length === 0)
      throw new MediaprocError('INVALID_FILE', `${printableName(source.name)} has no video that can be decoded`)
    const part = {
      ...{ ...BACKWARDS, picture: choice, encode: { container: extension } },
      ...(durationS > 0 && { mapsTime: (timeS: number) => durationS - timeS }),
    }
    const { output: plan, chaptersAt } = planAv(source, [part], path, { picture: picture.facts })
    const tag = picture.options.includes('hvc1') ? ['-tag:v', 'hvc1'] : []
    await joinReversed(
      source,
      parts,
      { path, extension, plan, tag, chapters: chaptersAt(0) },
      {
        signal,
        warn: context.warn,
        progress: (fraction) => context.progress(PICTURE_SHARE + fraction * (1 - PICTURE_SHARE), 'joining'),
      },
    )
    return { files: [{ path, name, mime: mimeOf(extension) }] }
  },
})
