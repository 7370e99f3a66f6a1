import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { videoStream } from '../../../src/engines/ffmpeg/media-info.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import { type AudioRecipe, infoOf, makeAudio, makeVideo } from '../av.ts'
import { type Outcome, temporaryFolder } from '../tool.ts'
import { describeEveryTool } from './every-tool.ts'
import { describeSettings } from './settings.ts'
import { type TrialOptions, takes, trialOf } from './trial.ts'

/** What every video or audio tool guarantees for its streams. */
export type AvPromise = 'upright' | 'audioTracks' | 'silent' | 'oddSize' | 'channels'

export interface AvToolOptions extends TrialOptions {
  /** Guarantees that the tool does not give, each with its reason; one that it does give fails, too. */
  except?: Partial<Record<AvPromise, string>>
  /** Second input of a tool with several files, if it is not audio; undefined: the same video again. */
  partner?: () => Promise<string | undefined>
  /** Its valid input, if a video with one audio track is none. */
  input?: () => Promise<string>
  /** The media file used for tests, if mono is not enough. */
  audio?: AudioRecipe
}

/** Few small frames: the guarantees do not depend on their number. */
const SMALL = { width: 64, height: 48, fps: 3 }

/** What ffprobe reports for each output: a frame, a clip or an audio file. */
async function streamsOf({ paths }: Outcome) {
  return Promise.all(
    paths.map(async (path) => {
      const info = await infoOf(path)
      const audio = info.streams.filter(({ type }) => type === 'audio')
      // Older builds of ffmpeg do not read animated WebP.
      if (path.endsWith('.webp')) {
        const { width, height, pageHeight = height } = await sharp(path, { animated: true }).metadata()
        return { shown: [width, pageHeight], audio }
      }
      return { shown: [videoStream(info)?.displayWidth, videoStream(info)?.displayHeight], audio }
    }),
  )
}

/**
 * The guarantees of every tool of the video and audio sections, derived from its declaration: rotated and odd-sized
 * video, several audio tracks and none, mono and surround; settings, names, invalid files and aborts as for every tool.
 */
export function describeAvTool(tool: Tool, options: AvToolOptions = {}): void {
  describe(`${tool.section}/${tool.id}`, () => {
    const folder = temporaryFolder()
    const trial = trialOf(tool, folder, options)
    const isVideo = takes(tool, 'x.mp4') && tool.input.accept.includes('video')
    const isAudio = takes(tool, 'x.mp3')
    const input = () => {
      if (options.input) return options.input()
      if (isVideo) return makeVideo({ audio: true, ...SMALL })
      return isAudio ? makeAudio(options.audio) : makeVideo({ ...SMALL, extension: tool.input.accept[0]! })
    }
    const withPartner = async (video: string): Promise<string[]> => {
      const partner = tool.input.max > 1 ? await (options.partner ?? makeAudio)() : undefined
      return partner === undefined ? [video] : [video, partner]
    }
    describeSettings(
      () => trial,
      tool.settings,
      async () => withPartner(await input()),
    )
    describeEveryTool(() => trial, folder, {
      input,
      inputs: withPartner,
      damaged: {
        'an empty file': () => Buffer.alloc(0),
        'a text under its name': () => Buffer.from('only text\n'.repeat(30)),
        'a file that ends in its header': (good) => good.subarray(0, 24),
      },
    })

    const promised = (name: AvPromise, title: string, holds: () => Promise<void>): void => {
      const reason = options.except?.[name]
      if (reason === undefined) test(title, holds)
      else test(`not: ${title} (${reason})`, async () => expect(holds()).rejects.toThrow())
    }
    const tried = async (path: string): Promise<Outcome> => trial.run(await withPartner(path))

    if (!isVideo) {
      if (!isAudio) return
      promised('channels', 'keeps two channels', async () => {
        for (const { audio } of await streamsOf(await tried(await makeAudio({ channels: 2 }))))
          for (const { channels } of audio) expect(channels).toBe(2)
      })
      return
    }
    promised('upright', 'a rotated video is upright', async () => {
      // The upright one is used in other tests, too, and is run once for all.
      const upright = await streamsOf(await tried(await input()))
      const lying = { width: SMALL.height, height: SMALL.width, rotation: 90 } as const
      const turned = await streamsOf(await tried(await makeVideo({ ...SMALL, ...lying, audio: true })))
      expect(upright.length).toBeGreaterThan(0)
      expect(turned.map(({ shown }) => shown)).toEqual(upright.map(({ shown }) => shown))
    })
    promised('audioTracks', 'keeps all audio tracks', async () => {
      for (const { audio } of await streamsOf(await tried(await makeVideo({ ...SMALL, audioTracks: 2 }))))
        expect(audio.length).toBe(2)
    })
    promised('silent', 'accepts a video without audio', async () => {
      for (const { shown, audio } of await streamsOf(await tried(await makeVideo(SMALL)))) {
        expect(shown[0]).toBeGreaterThan(0)
        expect(audio).toEqual([])
      }
    })
    promised('oddSize', 'accepts odd sizes', async () => {
      const even = await streamsOf(await tried(await makeVideo({ ...SMALL, audio: true })))
      const odd = await streamsOf(await tried(await makeVideo({ ...SMALL, audio: true, width: 65, height: 49 })))
      expect(odd.length).toBe(even.length)
      // One pixel more or less in the input, and one if the codec has even sizes only.
      for (const [index, { shown }] of odd.entries())
        for (const side of [0, 1])
          expect(Math.abs(shown[side]! - even[index]!.shown[side]!), `side ${side}`).toBeLessThanOrEqual(2)
    })
  })
}
