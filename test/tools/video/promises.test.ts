/** The guarantees of every video tool in the registry: covers a new tool without a line here. */
import { join } from 'node:path'
import { describe } from 'vitest'
import type { Tool } from '../../../src/tool/contract.ts'
import { loadTool, scanTools } from '../../../src/tool/registry.ts'
import { type AvToolOptions, describeAvTool } from '../../helpers/promises/av-tool.ts'
import { describeEveryTool } from '../../helpers/promises/every-tool.ts'
import { picture } from '../../helpers/promises/pictures.ts'
import { describeSettings } from '../../helpers/promises/settings.ts'
import { trialOf } from '../../helpers/promises/trial.ts'
import { documentationSamples } from '../../helpers/shared-samples.ts'
import { stubSpeechModels } from '../../helpers/speech.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const NO_WORDS = 'there are no subtitles in it'

const PLAYLISTS = 'its playlists name other files; its own test reads them'

/** The subtitles of the trial are UTF-8, so read as UTF-16 they have no cues. */
const UTF_8_ONLY = { 'encoding=utf-16le': 'INVALID_FILE', 'encoding=utf-16be': 'INVALID_FILE' }

/** What a declaration does not contain, and what a tool does not guarantee, with the reason. */
const OPTIONS: Readonly<Record<string, AvToolOptions>> = {
  'crop-video': { settings: { width: 16, height: 16 } },
  'extract-audio': {
    except: {
      audioTracks: 'a sound file holds one',
      silent: 'there is nothing to save',
      oddSize: 'a sound has no size',
    },
  },
  'auto-subtitles': {
    except: {
      audioTracks: 'it writes text',
      silent: 'there is nothing to listen to',
      oddSize: 'a text has no size',
    },
  },
  'burn-subtitles': {
    partner: async () => join(await documentationSamples(), 'words.srt'),
    refused: UTF_8_ONLY,
  },
  'embed-subtitles': {
    partner: async () => join(await documentationSamples(), 'words.srt'),
    refused: UTF_8_ONLY,
  },
  'video-loudnorm': { except: { silent: 'there is nothing to level' } },
  'video-to-webp': { settings: { width: 64 }, except: { audioTracks: 'pictures have no sound' } },
  'extract-subtitles': {
    input: async () => join(await documentationSamples(), 'film.mkv'),
    except: { upright: NO_WORDS, audioTracks: NO_WORDS, silent: NO_WORDS, oddSize: NO_WORDS },
  },
  'merge-videos': {
    partner: async () => undefined,
    except: { audioTracks: 'the tracks of several videos do not belong together; the first of each is taken' },
  },
  'mute-video': { except: { audioTracks: 'it drops the sound' } },
  'replace-audio': { except: { audioTracks: 'one sound takes the place of all', silent: 'it gets a sound' } },
  'silence-cut': { except: { silent: 'there is nothing to hear' } },
  // The trial has no chapters.
  'split-video': { refused: { 'by=chapters': 'INVALID_SETTINGS' } },
  'video-to-hls': {
    settings: { resolutions: '144' },
    except: { upright: PLAYLISTS, audioTracks: PLAYLISTS, silent: PLAYLISTS, oddSize: PLAYLISTS },
  },
  'watermark-video': { settings: { text: 'x' } },
  'video-to-frames': { except: { audioTracks: 'pictures have no sound' } },
  'video-to-gif': { settings: { width: 64 }, except: { audioTracks: 'pictures have no sound' } },
}

stubSpeechModels(temporaryFolder())

/** Tools that make a video of pictures give the common guarantees; their own tests measure the result. */
function describeSlides(tool: Tool): void {
  describe(`video/${tool.id}`, () => {
    const folder = temporaryFolder()
    const input = () => picture('colour')
    const trial = trialOf(tool, folder, { settings: { secondsPerImage: 0.5, fps: 10 } })
    const settings = Object.entries(tool.settings).filter(([name]) => name !== 'secondsPerImage')
    describeSettings(
      () => trial,
      // Ten seconds per picture take long to encode, and test nothing more than one.
      Object.fromEntries(settings),
      async () => [await input()],
    )
    describeEveryTool(() => trial, folder, {
      input,
      damaged: {
        'an empty file': () => Buffer.alloc(0),
        'a text under its name': () => Buffer.from('only text\n'.repeat(30)),
        'a file that ends in its header': (good) => good.subarray(0, 12),
      },
    })
  })
}

for (const entry of await scanTools())
  if (entry.section === 'video' && !entry.base) {
    const tool = await loadTool(entry)
    if (tool.medium === 'image') describeSlides(tool)
    else describeAvTool(tool, OPTIONS[entry.id])
  }
